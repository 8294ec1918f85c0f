import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listSchemaOf } from '../../provider/plugin/framework/list.ts';
import type { Action, ProviderFunction } from '../../provider/plugin/framework/provider.ts';
import type { Resource } from '../../provider/plugin/framework/resource.ts';
import type { Attribute, Schema } from '../../provider/plugin/framework/schema.ts';
import type { Type } from '../../provider/plugin/values/type.ts';
import { createProvider } from '../../provider/provider.ts';
import { version } from '../../provider/version.ts';

/** The provider's pages in the layout of Terraform's registry, from its schemas and the examples that the tests apply. */

const root = path.resolve(import.meta.dirname, '../..');
const folder = 'provider/docs';

export function generatedFiles(): Map<string, string> {
  const { schema, resources, dataSources, functions, actions } = createProvider({}, version);
  const short = (type: string): string => type.replace(/^rolecall_/, '');
  return new Map([
    [`${folder}/index.md`, index(schema)],
    ...resources.map((each) => [`${folder}/resources/${short(each.type)}.md`, resource(each)] as const),
    ...dataSources.map(
      (each) => [`${folder}/data-sources/${short(each.type)}.md`, dataSource(each.type, each.schema)] as const,
    ),
    ...resources.map((each) => [`${folder}/list-resources/${short(each.type)}.md`, listPage(each)] as const),
    ...functions.map((each) => [`${folder}/functions/${each.name}.md`, functionPage(each)] as const),
    ...actions.map((each) => [`${folder}/actions/${short(each.type)}.md`, actionPage(each)] as const),
  ]);
}

const mark = '<!-- Made by npm run generate; do not edit. -->';

function front(title: string, description: string): string {
  return `---\npage_title: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(firstSentence(description))}\n---\n\n${mark}\n`;
}

function firstSentence(text: string): string {
  return `${text.split('. ')[0]?.replace(/\.$/, '') ?? ''}.`;
}

function index(schema: Schema): string {
  return page(
    front('rolecall Provider', schema.description),
    `# rolecall Provider\n\n${schema.description}`,
    example('plain/main.tf'),
    attributes(schema),
  );
}

function resource<W>(of: Resource<W>): string {
  const { type, schema } = of;
  return page(
    front(`${type} (Resource)`, schema.description),
    `# ${type} (Resource)\n\n${schema.description}`,
    example(`plain/${type}.tf`),
    attributes(schema),
    importText(of),
  );
}

function dataSource(type: string, schema: Schema): string {
  return page(
    front(`${type} (Data Source)`, schema.description),
    `# ${type} (Data Source)\n\n${schema.description}`,
    attributes(schema),
  );
}

/** The arguments of a `list` block of a query (Terraform 1.14 and newer). */
function listPage<W>(resource: Resource<W>): string {
  const { description, attributes: filters } = listSchemaOf(resource);
  const block = `list "${resource.type}" "all" {\n  provider         = rolecall\n  include_resource = true\n}`;
  return page(
    front(`${resource.type} (List Resource)`, description),
    `# ${resource.type} (List Resource)\n\n${description} For \`terraform query\`, of Terraform 1.14 and newer.`,
    `## Example\n\nIn a file \`all.tfquery.hcl\`:\n\n\`\`\`terraform\n${block}\n\`\`\``,
    Object.keys(filters).length === 0 ? '' : attributes({ version: 0, description, attributes: filters }, '`config`'),
  );
}

function functionPage({ name, summary, description, parameters, returns }: ProviderFunction): string {
  const signature = `${name}(${parameters.map((each) => `${each.name} ${typeName(each.type)}`).join(', ')}) ${typeName(returns)}`;
  return page(
    front(`${name} (Function)`, summary),
    `# ${name} (Function)\n\n${description}`,
    `## Signature\n\n\`\`\`text\nprovider::rolecall::${signature}\n\`\`\``,
    `## Arguments\n\n${parameters.map((each) => `- \`${each.name}\` (${typeName(each.type)}) ${each.description}`).join('\n')}`,
  );
}

/** An `action` block, and how it is invoked (Terraform 1.14 and newer). */
function actionPage<W>({ type, schema }: Action<W>): string {
  const invoked = `Invoke it with \`terraform apply -invoke=action.${type}.NAME\`, or by the \`action_trigger\` of a resource's \`lifecycle\`. It needs Terraform 1.14 or newer.`;
  return page(
    front(`${type} (Action)`, schema.description),
    `# ${type} (Action)\n\n${schema.description}\n\n${invoked}`,
    example(`actions/${type}.tf`),
    attributes(schema, '`config`'),
  );
}

function page(...parts: readonly string[]): string {
  return `${parts
    .filter((part) => part !== '')
    .join('\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function example(file: string): string {
  const full = path.join(root, 'examples/terraform', file);
  return existsSync(full) ? `## Example\n\n\`\`\`terraform\n${readFileSync(full, 'utf8').trimEnd()}\n\`\`\`` : '';
}

/** @param of whose schema it is, where it is not the whole block's */
function attributes(schema: Schema, of?: string): string {
  const groups = [
    ['Required', (each: Attribute) => each.presence === 'required'],
    ['Optional', (each: Attribute) => each.presence === 'optional' || each.presence === 'optional-computed'],
    ['Read-only', (each: Attribute) => each.presence === 'computed'],
  ] as const;
  const sections = groups.flatMap(([title, belongs]) => {
    const lines = Object.entries(schema.attributes)
      .filter(([, each]) => belongs(each))
      .map(([name, each]) => `- \`${name}\` (${traits(each)}) ${each.description}`);
    return lines.length === 0 ? [] : [`### ${title}\n\n${lines.join('\n')}`];
  });
  return `## ${of === undefined ? 'Schema' : `Schema of ${of}`}\n\n${sections.join('\n\n')}`;
}

function traits({ type, sensitive, writeOnly }: Attribute): string {
  return [typeName(type), sensitive === true ? 'Sensitive' : '', writeOnly === true ? 'Write-only' : '']
    .filter((trait) => trait !== '')
    .join(', ');
}

function typeName(type: Type): string {
  if (typeof type === 'string') return type.charAt(0).toUpperCase() + type.slice(1);
  const [kind, of] = type;
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  return kind === 'object' || kind === 'tuple' ? name : `${name} of ${typeName(of)}`;
}

/** What follows `terraform import`, and what else there is to say. */
const imports: Readonly<Record<string, readonly [address: string, more?: string]>> = {
  rolecall_data_source: [
    'rolecall_data_source.billing billing',
    'Which password it has, cannot be told from outside: the first apply sends the declared one.',
  ],
  rolecall_person: ['rolecall_person.ada ada'],
  rolecall_role: ['rolecall_role.analysts analysts'],
  rolecall_role_person: ['rolecall_role_person.ada analysts/ada'],
  rolecall_role_data_source: ['rolecall_role_data_source.billing analysts/billing'],
  rolecall_role_people: ['rolecall_role_people.auditors auditors'],
  rolecall_role_data_sources: ['rolecall_role_data_sources.auditors auditors'],
  rolecall_permission: [
    'rolecall_permission.contract grace/billing/2026-12-01T09:00:00Z/2029-12-31T17:00:00Z',
    'The window may be left out where there is one permission only.',
  ],
  rolecall_snippet: ['rolecall_snippet.top_customers "role/analysts/Top customers"'],
};

function importText({ type, importedBy }: Pick<Resource<never>, 'type' | 'importedBy'>): string {
  const [address = '', more] = imports[type] ?? [];
  return `## Import\n\nBy ${importedBy}: \`terraform import ${address}\`.${more === undefined ? '' : ` ${more}`}`;
}
