/** Writes docs/definitions.md and a page a kind from the schemas of the kinds. */

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

A definition is a YAML document of four fields:

| field | what it is |
| --- | --- |
| \`apiVersion\` | \`${apiVersion}\` |
| \`kind\` | one of the kinds below |
| \`metadata\` | what identifies the definition, see below |
| \`spec\` | what is wanted, by kind |

A file may hold several, with a line of \`---\` between them; how they are spread over files and folders means nothing.
References are by the \`metadata.name\` of a declared object or, where none is declared, by what it is called in the
workspace (username, alias, role name). What can be wrong with definitions is listed in
[definition-problems.md](definition-problems.md).

\`rolecall schema --out rolecall.schema.json\` writes a JSON Schema, by which editors complete and check definitions.

## The kinds

Each has a page, with examples, every field, and what \`rolecall apply\`, Terraform and Kubernetes make of it:

| kind | what it is |
| --- | --- |
${kindNames.map((name) => `| [${name}](kinds/${fileNameOf(name)}.md) | ${kinds[name].summary} |`).join('\n')}

## metadata

${fieldTable(schemaOf(metadataSchema))}

Annotations of \`rolecall.dev\` take the text \`"true"\` or \`"false"\`:

| annotation | meaning |
| --- | --- |
${Object.entries(annotations)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}

One takes any text:

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

What the next run does about a field that was changed in Git, where nothing but the natural key says which object is meant:

| words | what happens |
| --- | --- |
| one call changes it | the object is edited in place |
| a new version | a version of the snippet is made and activated; the older ones stay |
| replacement, with opt-in | the object cannot be edited: refused without the annotation \`rolecall.dev/replace-allowed\`, then deleted and made again |
| another object | the field is part of the natural key: another object is made; the old one stays, or goes where its collection is \`exact\` |
| a new grant | a new permission; the old one stays, or goes after it where permissions are \`exact\` |
| grants and revokes | one call a member that comes or goes |
| no call | the workspace does not hold it |
| immutable in a cluster | the API server refuses the change: delete the object and make another one |

The operator and Terraform remember which object they made (its id is in the status, or in the state), so that they can do
better where the natural key changes; the page of each kind says how.`;
