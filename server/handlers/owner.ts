import type { FieldError } from '@rolecall/api';
import { invalidFields } from '../refusal.ts';
import { findPerson } from '../store/person.ts';
import { findRole } from '../store/role.ts';
import type { Executor } from '../store/store.ts';

/** At most one of the two is set. */
export interface Owner {
  ownerPersonId: string | null;
  ownerRoleId: string | null;
}

/**
 * Checks that an owner's type and identifiers agree, and that the owner exists.
 *
 * @throws Refusal invalid_fields, naming each field
 */
export async function requireOwner(
  executor: Executor,
  type: 'none' | 'person' | 'role',
  { ownerPersonId, ownerRoleId }: Owner,
): Promise<void> {
  const errors = [
    ...mismatch('ownerPersonId', ownerPersonId, type === 'person', type),
    ...mismatch('ownerRoleId', ownerRoleId, type === 'role', type),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  if (ownerPersonId !== null) await requirePerson(executor, 'ownerPersonId', ownerPersonId);
  if (ownerRoleId !== null && (await findRole(executor, ownerRoleId)) === undefined) {
    throw invalidFields([{ path: 'ownerRoleId', message: `refers to no role: there is no ${ownerRoleId}` }]);
  }
}

/** Makes sure that a field of the body refers to a person, or is null. @throws Refusal invalid_fields */
export async function requirePerson(executor: Executor, field: string, id: string | null): Promise<void> {
  if (id === null || (await findPerson(executor, id)) !== undefined) return;
  throw invalidFields([{ path: field, message: `refers to no person: there is no ${id}` }]);
}

function mismatch(path: string, id: string | null, wanted: boolean, type: string): FieldError[] {
  if (wanted === (id !== null)) return [];
  return [{ path, message: `must ${wanted ? '' : 'not '}be set when owner is ${type}` }];
}
