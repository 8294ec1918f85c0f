/** Natural keys: they identify an object in its workspace before it has an id. */

import type { ObjectDefinition } from '../kinds/definition.ts';
import { identitiesOf } from '../kinds/registry.ts';
import type { ReferenceIndex } from './reference-index.ts';

/**
 * The natural key of an object, in parts: Person: username. Role: name. DataSource: alias. RoleMembership: role,
 * `person` or `data-source`, member and, where it is for a time, start, end and length. Permission: person, data source, start, end (both may be empty) and, where it has
 * neither, its length. Snippet: `person`, `role` or nothing, owner, name.
 *
 * @param index resolves the references; without it they are taken as natural keys
 */
export function naturalKeyParts(definition: ObjectDefinition, index?: ReferenceIndex): readonly string[] {
  const keyOf = (kind: 'Person' | 'Role' | 'DataSource', name: string) =>
    index?.resolve(kind, name, definition).naturalKey ?? name;
  return identitiesOf(definition, keyOf)[0]?.parts ?? [];
}

/** The same as one text, its parts joined by slashes; slashes inside a part are written `\/`, so that keys stay different. */
export function naturalKey(definition: ObjectDefinition, index?: ReferenceIndex): string {
  return joinKey(naturalKeyParts(definition, index));
}

/** Joins the parts of a natural key into one text. */
export function joinKey(parts: readonly string[]): string {
  return parts.map((part) => part.replace(/[\\/]/g, String.raw`\$&`)).join('/');
}
