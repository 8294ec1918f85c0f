/** The page of a kind, docs/kinds/NAME.md. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { connectionParameters } from '@rolecall/api';
import {
  annotatedKinds,
  annotations,
  buildManifest,
  group,
  type KindName,
  kinds,
  textAnnotations,
} from '@rolecall/crds';
import { commonFields } from '../../crds/fields/common.ts';
import { statusSchema } from '../../crds/schema/status.ts';
import { commonEffects, effects, fieldEffects } from './changes.ts';
import { exclusive, fieldTable, type Schema, schemaOf } from './fields.ts';
import { frontEnds } from './front-ends.ts';
import { kindRules } from './rules.ts';

/** The examples on the pages, and the files that they name. */
export const exampleFolder = path.join(import.meta.dirname, 'examples');

/** `role-membership`, as in the name of its page. */
export function fileNameOf(name: KindName): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

/** The definitions of an example; the minimal one has only required fields. */
export function exampleOf(name: KindName, size: 'minimal' | 'full'): string {
  return readFileSync(path.join(exampleFolder, `${fileNameOf(name)}.${size}.yaml`), 'utf8');
}

export function kindPage(name: KindName): string {
  const { summary, plural } = kinds[name];
  const { apply, terraform, kubectl, resources } = frontEnds[name];
  const parts = [
    '<!-- Made from the schemas in crds/ by `npm run generate`; do not edit. -->',
    `# ${name}`,
    summary,
    'The least it takes:',
    yaml(exampleOf(name, 'minimal')),
    'With everything it can have:',
    yaml(exampleOf(name, 'full')),
    '## Fields of spec',
    ...fields(name),
    '## Rules',
    kindRules[name].map((rule) => `- ${rule}`).join('\n'),
    ...(name === 'DataSource' ? [connectionTable()] : []),
    '## Annotations',
    annotationTable(name),
    '## rolecall apply',
    apply,
    '## Terraform',
    [...resourceLinks(resources), terraform].join(' '),
    '## Kubernetes',
    `\`kubectl get ${inKubectl(plural)}\`, or \`${kinds[name].shortNames.join('`, `')}\`, shows ${columns(name)}. ${kubectl} All reasons are in [Kubernetes](../operator.md#what-an-object-says).`,
    'Its `status`, which the operator writes:',
    statusTable(name),
    `The definition of the resource is [${group}_${plural}.yaml](../../crds/manifests/${group}_${plural}.yaml).`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Kubernetes' own kind of that name goes first. */
const inKubectl = (plural: string): string => (plural === 'roles' ? `${plural}.${group}` : plural);

const yaml = (text: string): string => `\`\`\`yaml\n${text}\`\`\``;

function fields(name: KindName): string[] {
  const { schema, immutable } = kinds[name];
  const written = schemaOf(schema);
  const fixed = [...immutable, ...('workspaceRef' in schema.shape ? ['workspaceRef'] : [])];
  const changed = Object.fromEntries(
    Object.keys(written.properties ?? {}).map((field) => [field, changeOf(name, field, fixed.includes(field))]),
  );
  const choice = exclusive(written);
  return [
    fieldTable(written, changed),
    ...(choice === undefined ? [] : [choice]),
    'What a new value does is what `rolecall apply` makes of it; [the legend](../definitions.md#a-new-value) explains the words. `metadata` is [the same for all kinds](../definitions.md#metadata).',
  ];
}

function changeOf(name: KindName, field: string, isFixed: boolean): string {
  const effect = Object.hasOwn(commonFields, field) ? commonEffects[field] : fieldEffects[name][field];
  if (effect === undefined) throw new Error(`${name} has no word on a new value of ${field}`);
  return isFixed ? `${effects[effect]}; immutable in a cluster` : effects[effect];
}

function connectionTable(): string {
  const rows = Object.entries(connectionParameters).map(([type, rules]) => {
    const names = Object.keys(rules).map((name) => `\`${name}\``);
    return `| \`${type}://\` | ${names.join(', ')} |`;
  });
  return `A URI takes these parameters and no others:\n\n| scheme | parameters |\n| --- | --- |\n${rows.join('\n')}`;
}

function annotationTable(name: KindName): string {
  const own = Object.entries(annotations).filter(([annotation]) =>
    annotatedKinds[annotation as keyof typeof annotations].includes(name),
  );
  const rows = [...own, ...Object.entries(textAnnotations)].map(
    ([annotation, meaning]) => `| \`${annotation}\` | ${meaning} |`,
  );
  return `| annotation | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}

function resourceLinks(resources: readonly string[]): string[] {
  if (resources.length === 0) return [];
  const links = resources.map((each) => `[\`rolecall_${each}\`](../../provider/docs/resources/${each}.md)`);
  return [`${links.join(', ')}.`];
}

/** The columns of `kubectl get`, as the manifest has them. */
function columns(name: KindName): string {
  const { spec } = buildManifest(name) as {
    spec: { versions: readonly { additionalPrinterColumns: readonly { name: string }[] }[] };
  };
  const names = spec.versions.flatMap(({ additionalPrinterColumns }) =>
    additionalPrinterColumns.map((each) => each.name),
  );
  return names.map((each) => `\`${each}\``).join(', ');
}

/** Leaves out the fields of a condition, which all controllers share. */
function statusTable(name: KindName): string {
  const { properties = {} } = statusSchema(name) as Schema;
  const rows = Object.entries(properties).map(([field, { enum: choices, description = '' }]) => {
    const values = choices === undefined ? '' : ` ${choices.map((choice) => `\`${choice}\``).join(', ')}.`;
    return `| \`${field}\` | ${description}${values} |`;
  });
  return `| field | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}
