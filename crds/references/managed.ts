/** Facts about definitions for tools that keep a state of their own, as Terraform does. */

import { isAnnotated } from '../kinds/annotations.ts';
import type { DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';
import { joinKey, naturalKeyParts } from './natural-key.ts';
import { listsDataSources } from './plain-role.ts';
import type { ReferenceIndex } from './reference-index.ts';

/** True if Rolecall manages the object of a definition, and does not only observe it or leave it alone. */
export function isManaged(definition: ObjectDefinition): boolean {
  const isLeftAlone = definition.spec.managementPolicy === 'Observe' || isAnnotated(definition, 'rolecall.dev/paused');
  return !isLeftAlone && !isAnnotated(definition, 'rolecall.dev/ended');
}

/** The role that a membership names, where its own definition lists members of that kind: these are set as a whole. */
export function listOf(
  references: Pick<ReferenceIndex, 'resolve'>,
  membership: DefinitionOf<'RoleMembership'>,
): DefinitionOf<'Role'> | undefined {
  const { declared } = references.resolve('Role', membership.spec.role, membership);
  if (declared === undefined || !isManaged(declared)) return undefined;
  const isListed =
    membership.spec.person === undefined ? listsDataSources(declared) : declared.spec.people !== undefined;
  return isListed ? declared : undefined;
}

/** A time in a role that a resource of Terraform cannot have. */
export interface TimeIssue {
  readonly definition: DefinitionOf<'RoleMembership'>;
  readonly field: 'startsAt' | 'expiresAt' | 'duration';
  readonly message: string;
  readonly remedy: string;
}

/**
 * Finds the memberships whose times Terraform would lose, and give the role for good or at one of the times only: a list of
 * people has no times, and the resource of one person in a role has one.
 */
export function findTimeIssues(objects: readonly ObjectDefinition[], references: ReferenceIndex): TimeIssue[] {
  const memberships = objects.filter((object) => object.kind === 'RoleMembership').filter(isManaged);
  const seen = new Map<string, DefinitionOf<'RoleMembership'>>();
  return memberships.flatMap((definition): TimeIssue[] => {
    const pair = joinKey(naturalKeyParts(definition, references).slice(0, pairParts));
    const first = seen.get(pair);
    if (first === undefined) seen.set(pair, definition);
    const field = timeFieldOf(definition) ?? (first && timeFieldOf(first));
    if (field === undefined) return [];
    const role = listOf(references, definition);
    if (role !== undefined) {
      const message = `is a time in Role ${role.metadata.name}, which lists its people: Terraform would put the person into the list for good`;
      return [{ definition, field, message, remedy: 'Give each person of that role a RoleMembership, and no list.' }];
    }
    if (first === undefined) return [];
    const message = `declares a second window for RoleMembership ${first.metadata.name}; a Terraform role_person resource can hold one`;
    return [{ definition, field, message, remedy: 'Keep one, or declare them to `rolecall apply` or the operator.' }];
  });
}

/** Of the natural key of a membership: role, kind of member, and member, without its time. */
const pairParts = 3;

function timeFieldOf({ spec }: DefinitionOf<'RoleMembership'>): TimeIssue['field'] | undefined {
  if (spec.startsAt !== undefined) return 'startsAt';
  if (spec.expiresAt !== undefined) return 'expiresAt';
  return spec.durationSeconds === undefined ? undefined : 'duration';
}
