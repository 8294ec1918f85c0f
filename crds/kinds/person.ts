import { personEmail } from '@rolecall/api';
import { z } from 'zod';
import { commonFields, uniqueList } from '../fields/common.ts';
import { name, pattern } from '../fields/fields.ts';
import { defineKind, type WithDefaults } from './kind.ts';

/** The service's own rule, so that it accepts what is accepted here. */
const emailPattern = new RegExp(z.toJSONSchema(personEmail).pattern ?? '');

const schema = z.strictObject({
  username: name({
    description: 'The name that the person signs in with; unique, ignoring case. Default: metadata.name.',
  }).exactOptional(),
  name: name({ description: 'The name that people see.' }),
  email: pattern({
    description: 'The e-mail address; unique, ignoring case.',
    max: 254,
    pattern: emailPattern,
    message: 'is not an e-mail address',
    remedy: 'Write it as in ada@example.com.',
  }),
  locked: z.boolean().describe('Locks the person out of the workspace.').default(false),
  ignore: uniqueList(
    z.enum(['name']).describe('A field of this spec.'),
    1,
    'The fields that someone else keeps, such as a directory. A new person gets them; later differences are left alone.',
  ).exactOptional(),
  ...commonFields,
});

export type PersonSpec = WithDefaults<z.output<typeof schema>, 'username'>;

export const person = defineKind({
  kind: 'Person',
  plural: 'people',
  shortNames: ['rcperson'],
  summary:
    'A person who works in the workspace. The workspace cannot edit people: a changed name or e-mail address replaces the person, which needs the annotation rolecall.dev/replace-allowed.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata:
  name: ada
spec:
  username: ada
  name: Ada Lovelace
  email: ada@example.com
`,
  schema,
  columns: [
    { name: 'Username', jsonPath: '.status.username' },
    { name: 'Email', jsonPath: '.spec.email' },
  ],
  keyField: 'username',
  selectable: ['username', 'email'],
  normalise: (spec, name): PersonSpec => ({ ...spec, username: spec.username ?? name }),
  identities: ({ username, email }) => [
    { label: `username ${username}`, parts: [username], path: ['username'], foldCase: true },
    { label: `e-mail address ${email}`, parts: [email], path: ['email'], foldCase: true },
  ],
});
