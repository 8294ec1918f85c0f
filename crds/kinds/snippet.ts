import { accessLevels, snippetBounds } from '@rolecall/api';
import { z } from 'zod';
import { commonFields, filePath, kubernetesKey, kubernetesName, reference } from '../fields/common.ts';
import { exactlyOne } from '../fields/exactly-one.ts';
import { name, prose } from '../fields/fields.ts';
import { defineKind, type WithDefaults } from './kind.ts';

/** The text of a snippet. The loader applies the same rules to the files that `textFrom` names. */
export const snippetText = prose({
  description: 'The text, usually SQL. Other line ends alone (CRLF for LF) make no new version.',
  ...snippetBounds.text,
});

const textFrom = exactlyOne(
  z.strictObject({
    file: filePath('A file with the text.').exactOptional(),
    configMapKeyRef: z
      .strictObject({ name: kubernetesName('ConfigMap'), key: kubernetesKey('The key inside the ConfigMap.') })
      .describe(
        'A key of a Kubernetes ConfigMap. The command line looks for the ConfigMap among the files that it reads.',
      )
      .exactOptional(),
  }),
  ['file', 'configMapKeyRef'],
  'file: query.sql',
).describe('Where the text comes from, instead of text.');

const owner = exactlyOne(
  z.strictObject({
    person: reference('Person', 'username', 'The person who owns the snippet').exactOptional(),
    role: reference('Role', 'name', 'The role that owns the snippet').exactOptional(),
  }),
  ['person', 'role'],
  'role: analysts',
).describe('Who owns the snippet. Default: no owner.');

const schema = exactlyOne(
  z.strictObject({
    name: name({ description: 'The name, unique within its owner. Default: metadata.name.' }).exactOptional(),
    description: prose({ description: 'What the snippet is for.', ...snippetBounds.description }).default(''),
    text: snippetText.exactOptional(),
    textFrom: textFrom.exactOptional(),
    owner: owner.exactOptional(),
    publicAccessLevel: z
      .enum(accessLevels)
      .describe('What people other than the owner may do with the snippet.')
      .default('none'),
    locked: z.boolean().describe('Makes the snippet available only to its owner.').default(false),
    ...commonFields,
  }),
  ['text', 'textFrom'],
  'text: select 1',
);

/** `text` is absent only until the loader resolves `textFrom`. */
export type SnippetSpec = WithDefaults<z.output<typeof schema>, 'name'>;

export const snippet = defineKind({
  kind: 'Snippet',
  plural: 'snippets',
  shortNames: ['rcsnip'],
  summary: 'A saved query. New text becomes a new version; the workspace keeps the old ones.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: Snippet
metadata:
  name: top-customers
spec:
  name: Top customers
  description: Revenue by customer, this month
  text: select customer, sum(amount) from invoices group by customer
  owner:
    role: analysts
  publicAccessLevel: read_only
`,
  schema,
  columns: [
    { name: 'Snippet', jsonPath: '.status.name' },
    { name: 'Access', jsonPath: '.spec.publicAccessLevel' },
  ],
  keyField: 'name',
  selectable: ['name'],
  normalise: (spec, name): SnippetSpec => ({ ...spec, name: spec.name ?? name }),
  references: ({ owner }) => {
    if (owner?.person !== undefined) return [{ kind: 'Person', name: owner.person, path: ['owner', 'person'] }];
    if (owner?.role !== undefined) return [{ kind: 'Role', name: owner.role, path: ['owner', 'role'] }];
    return [];
  },
  identities: ({ name, owner }, keyOf) => {
    const key =
      owner?.person !== undefined
        ? ['person', keyOf('Person', owner.person)]
        : owner?.role !== undefined
          ? ['role', keyOf('Role', owner.role)]
          : ['', ''];
    const whose = key[0] === '' ? 'without owner' : key.join(' ');
    return [{ label: `snippet ${name} of ${whose}`, parts: [...key, name], path: ['name'], foldCase: false }];
  },
});
