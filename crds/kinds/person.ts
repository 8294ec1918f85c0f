import { asciiEmail, brokenRule, emailRules } from '@rolecall/api';
import { z } from 'zod';
import { commonFields, uniqueList } from '../fields/common.ts';
import { type Fault, line, name, outerSpaceFault } from '../fields/fields.ts';
import { defineKind, type WithDefaults } from './kind.ts';

/** A part of a domain, without a dash at either end. */
const label = String.raw`[^\x00-/:-@[-\x60{-\x7f]([^\x00-,./:-@[-\x60{-\x7f]{0,61}[^\x00-/:-@[-\x60{-\x7f])?`;

const emailDescription =
  'The e-mail address; unique, ignoring case. A domain of another script is the same as its ASCII form (xn--…), which is stored.';

const email = line({ description: emailDescription, max: 254 }, emailFault).meta({
  description: emailDescription,
  minLength: 1,
  maxLength: 254,
  // The service's rule, with letters of any script in the domain: of those a pattern cannot tell whether they have an ASCII form.
  pattern: String.raw`^[A-Za-z0-9.!#$%&'*+/=?^_\x60{|}~-]{1,64}@${label}(\.${label})*$`,
});

/** The service's own rules, so that it accepts what is accepted here. */
function emailFault(value: string): Fault | undefined {
  const message = brokenRule(emailRules, value);
  if (message === undefined) return undefined;
  if (brokenRule(emailRules, value.trim()) === undefined) return outerSpaceFault(value);
  if (/[^\x00-\x7f].*@/.test(value))
    return { message, remedy: 'Write that part in ASCII; only the domain may have other letters.' };
  return { message: 'is not an e-mail address', remedy: 'Write it as in ada@example.com.' };
}

const schema = z.strictObject({
  username: name({
    description: 'The name that the person signs in with; unique, ignoring case. Default: metadata.name.',
  }).exactOptional(),
  name: name({ description: 'The name that people see.' }),
  email,
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
  summary: 'A person who works in the workspace.',
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
  normalise: (spec, name): PersonSpec => ({
    ...spec,
    username: spec.username ?? name,
    email: asciiEmail(spec.email),
  }),
  identities: ({ username, email }) => [
    { label: `username ${username}`, parts: [username], path: ['username'], foldCase: true },
    { label: `e-mail address ${email}`, parts: [email], path: ['email'], foldCase: true },
  ],
});
