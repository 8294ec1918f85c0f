import { z } from 'zod';
import { email, line, named, shortId, timestamp } from '../fields.ts';
import { longestName } from '../text-rules.ts';

export const personId = shortId('p7Kq2mXw4TzA').describe('identifier of the person');
export const personName = line(longestName, 'Ada Lovelace').describe('full name');
export const username = line(longestName, 'ada').describe('unique, ignoring case');
export const personEmail = email.describe(
  'e-mail address; unique, ignoring case; a domain of another script is stored in its ASCII form (xn--…)',
);

export const personSchema = z
  .object({
    id: personId,
    name: personName,
    username,
    email: personEmail,
    createdAt: timestamp(),
    isLocked: z.boolean().meta({ description: 'a locked person cannot use the workspace', examples: [false] }),
  })
  .meta({ id: 'Person', description: 'A user account.' });

/** A person as other resources show them. */
export const personReference = z
  .object({ id: personId, name: personName, username, email: personEmail })
  .meta({ id: 'PersonReference', description: 'A person, as another resource refers to them.' });

/** The request to create a person. */
export const newPerson = z.strictObject({ name: named(personName), email: personEmail, username: named(username) });

/** The request to edit a person: fields that are left out stay as they are. */
export const personChange = newPerson.partial();

export type Person = z.output<typeof personSchema>;
export type PersonReference = z.output<typeof personReference>;
