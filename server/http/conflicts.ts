import type { ProblemCode } from '@rolecall/api';
import { Refusal } from '../refusal.ts';
import type { UniqueError } from '../store/errors.ts';

/** What it means to a client that a row would be the second one with a value. */
const conflicts: Readonly<Record<string, { code: ProblemCode; field: string; detail: string }>> = {
  'person.username_key': { code: 'username_taken', field: 'username', detail: 'another person has this username' },
  'person.email_key': { code: 'email_taken', field: 'email', detail: 'another person has this e-mail address' },
  'data_source.alias': { code: 'alias_taken', field: 'alias', detail: 'another data source has this alias' },
  'role.name': { code: 'role_name_taken', field: 'name', detail: 'another role has this name' },
};

/** The store decides about conflicts, in the moment of the write: to ask beforehand would be a race. */
export function conflictRefusal({ column }: UniqueError): Refusal | undefined {
  const conflict = conflicts[column];
  if (conflict === undefined) return undefined;
  const { code, field, detail } = conflict;
  return new Refusal(code, detail, { errors: [{ path: field, message: 'is taken' }] });
}
