/** Writes docs/definitions.md and one page for each kind from the schemas of the kinds. */

import { annotations, apiVersion, kindNames, kinds, metadataSchema, textAnnotations } from '@rolecall/crds';
import { commonFields } from '../../crds/fields/common.ts';
import { fieldTable, schemaOf } from './fields.ts';
import { fileNameOf, kindPage } from './page.ts';
import { commonRules } from './rules.ts';

/** Builds the pages: each its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/definitions.md', `${[introduction(), common(), newValues].join('\n\n')}\n`],
    ...kindNames.map((name) => [`docs/kinds/${fileNameOf(name)}.md`, kindPage(name)] as const),
  ]);
}

function introduction(): string {
  return `<!-- Made from the schemas in crds/ by \`npm run generate\`; do not edit. -->

# Definitions

A definition is a YAML document with four fields:

| field | what it is |
| --- | --- |
| \`apiVersion\` | \`${apiVersion}\` |
| \`kind\` | one of the kinds below |
| \`metadata\` | what identifies the definition, see below |
| \`spec\` | the desired state; its fields depend on the kind |

A file may contain several definitions, separated by lines of \`---\`; how you divide them into files and folders makes no difference.
Rolecall reads a folder as kubectl and Argo CD do, and the folders in it: files that end in \`.yaml\`, \`.yml\` or \`.json\`. It passes over
names that begin with a dot, \`node_modules\`, objects of other API groups, and JSON that is no object of Kubernetes, such as a \`package.json\`.
It warns of any other file of the folder that looks like a definition, such as \`people.yaml.bak\`, and of a link that leads nowhere and may have led to a folder: what is not read is not declared.
A reference is the \`metadata.name\` of a declared object or, for an object that is not declared, its name in the workspace (username,
alias, role name). [definition-problems.md](definition-problems.md) lists the problems that definitions can have.

\`rolecall schema --out rolecall.schema.json\` writes a JSON Schema with which editors complete and check definitions.

## The kinds

Each kind has a page with examples, every field, and how \`rolecall apply\`, Terraform and Kubernetes handle it:

| kind | what it is |
| --- | --- |
${kindNames.map((name) => `| [${name}](kinds/${fileNameOf(name)}.md) | ${kinds[name].summary} |`).join('\n')}

## metadata

${fieldTable(schemaOf(metadataSchema))}

These annotations take the text \`"true"\` or \`"false"\`:

| annotation | meaning |
| --- | --- |
${Object.entries(annotations)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}

These take any text:

| annotation | meaning |
| --- | --- |
${Object.entries(textAnnotations)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}`;
}

function common(): string {
  const properties = schemaOf(kinds.Role.schema).properties ?? {};
  const shared = Object.entries(properties).filter(([name]) => Object.hasOwn(commonFields, name));
  return [
    '## Fields of every kind but Workspace',
    fieldTable({ properties: Object.fromEntries(shared) }),
    commonRules.map((rule) => `- ${rule}`).join('\n'),
  ].join('\n\n');
}

const newValues = `## A new value

What the next run does after a field was changed in Git:

| words | what happens |
| --- | --- |
| one call changes it | the object is edited in place |
| a new version | a version of the snippet is created and activated; the older versions stay |
| another object | another object is created, and the old one is removed |
| grants and revokes | one call for each member that is added or removed |
| no call | the field is not stored in the workspace |
| immutable in a cluster | the API server refuses the change: delete the object and create another one |

Rolecall knows the object by what it remembers of the definition: the service does it for the command line ([sets](concepts.md#sets-of-definitions)),
the status for the operator, the state for Terraform. Where nothing is remembered, the natural key decides: a changed one means another object, and
the old one stays unless its collection is \`exact\`.`;
