/** Finds definitions that stand twice, and objects of the workspace that are declared twice. */

import type { Definition, ObjectDefinition } from '../kinds/definition.ts';
import type { Identity, KeyOf } from '../kinds/kind.ts';
import { identitiesOf } from '../kinds/registry.ts';
import type { ReferenceIndex } from '../references/reference-index.ts';
import { type CrossIssue, errorAt, placeOf } from './problems.ts';

/** Finds definitions with the kind, namespace and name of an earlier one. */
export function findDuplicateDefinitions(definitions: readonly Definition[]): CrossIssue[] {
  const first = new Map<string, Definition>();
  return definitions.flatMap((definition) => {
    const { kind, metadata, source } = definition;
    const key = `${kind}\0${metadata.namespace ?? ''}\0${metadata.name}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, definition);
      return [];
    }
    const message = `is ${metadata.name}, as of the ${kind} at ${placeOf(earlier)}`;
    return [
      { ...errorAt(['metadata', 'name'], 'definition_duplicate', message, 'Rename or remove one of the two.'), source },
    ];
  });
}

/** Finds definitions that declare the same object of the same workspace as an earlier one, after references are resolved. */
export function findDuplicateObjects(definitions: readonly Definition[], index: ReferenceIndex): CrossIssue[] {
  const first = new Map<string, Definition>();
  const issues: CrossIssue[] = [];
  for (const definition of definitions) {
    if (definition.kind === 'Workspace') continue;
    for (const identity of identitiesOf(definition, keysFor(definition, index))) {
      const key = slotOf(definition, identity, index);
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, definition);
      else if (!isSameDefinition(earlier, definition)) issues.push(duplicate(definition, identity, earlier));
    }
  }
  return issues;
}

function keysFor(definition: ObjectDefinition, index: ReferenceIndex): KeyOf {
  return (kind, name) => index.resolve(kind, name, definition).naturalKey;
}

function slotOf(definition: ObjectDefinition, identity: Identity, index: ReferenceIndex): string {
  const { parts, path, foldCase } = identity;
  const key = `${index.scopeOf(definition)}\0${definition.kind}\0${path.join('.')}\0${parts.join('\0')}`;
  return foldCase ? key.toLowerCase() : key;
}

/** Two definitions with one kind and name are reported once, by their name. */
function isSameDefinition(definition: Definition, other: Definition): boolean {
  return definition.metadata.name === other.metadata.name && definition.metadata.namespace === other.metadata.namespace;
}

function duplicate({ source }: Definition, identity: Identity, earlier: Definition): CrossIssue {
  const message = `declares ${identity.label}, which ${earlier.kind} ${earlier.metadata.name} at ${placeOf(earlier)} declares too`;
  const remedy = 'Remove one of the two, or change what makes them the same.';
  return { ...errorAt(['spec', ...identity.path], 'object_duplicate', message, remedy), source };
}
