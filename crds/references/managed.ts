/** What tools that keep a state of their own, as Terraform does, have to know of definitions. */

import { isAnnotated } from '../kinds/annotations.ts';
import type { DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';
import type { ReferenceIndex } from './reference-index.ts';

/** Whether Rolecall manages the object of a definition, and does not only observe it or leave it alone. */
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
  const { people, dataSources } = declared.spec;
  return (membership.spec.person === undefined ? dataSources : people) === undefined ? undefined : declared;
}

/** The first field that gives a membership a time; undefined where there is none. A resource of Terraform gives a role for good. */
export function timeFieldOf(definition: ObjectDefinition): 'startsAt' | 'expiresAt' | 'duration' | undefined {
  if (definition.kind !== 'RoleMembership') return undefined;
  const { startsAt, expiresAt, durationSeconds } = definition.spec;
  if (startsAt !== undefined) return 'startsAt';
  if (expiresAt !== undefined) return 'expiresAt';
  return durationSeconds === undefined ? undefined : 'duration';
}
