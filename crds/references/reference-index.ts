/** Finds what references stand for. */

import type { Definition, DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';
import type { ReferableKind } from '../kinds/kind.ts';
import { createWorkspaceIndex } from './workspace-index.ts';

/** What a reference stands for. Where nothing is declared, it is a natural key of the workspace. */
export interface Resolved<K extends ReferableKind> {
  readonly naturalKey: string;
  readonly declared?: DefinitionOf<K>;
}

export interface ReferenceIndex {
  /**
   * Finds what a reference stands for: the declared object with that metadata.name; else the declared object with that
   * natural key; else what has that natural key in the workspace.
   *
   * @param from the definition that has the reference; it decides the workspace and the namespace
   */
  readonly resolve: <K extends ReferableKind>(kind: K, reference: string, from: ObjectDefinition) => Resolved<K>;
  /** The declared objects that have the reference as metadata.name and as natural key; two different are ambiguous. */
  readonly candidates: <K extends ReferableKind>(
    kind: K,
    reference: string,
    from: ObjectDefinition,
  ) => { readonly byName?: DefinitionOf<K>; readonly byKey?: DefinitionOf<K> };
  /** The Workspace that a definition belongs to; undefined where none is declared, or the choice is not clear. */
  readonly workspaceOf: (definition: ObjectDefinition) => DefinitionOf<'Workspace'> | undefined;
  /** A text that is the same for all definitions of one workspace, and different for those of another. */
  readonly scopeOf: (definition: ObjectDefinition) => string;
}

type Referable = DefinitionOf<'Person'> | DefinitionOf<'Role'> | DefinitionOf<'DataSource'>;

/** The natural key of an object that others refer to. */
export function keyOfReferable(definition: Referable): string {
  switch (definition.kind) {
    case 'Person':
      return definition.spec.username;
    case 'Role':
      return definition.spec.name;
    case 'DataSource':
      return definition.spec.alias;
  }
}

/** The service ignores the case of usernames, and of nothing else. */
function fold(kind: string, key: string): string {
  return kind === 'Person' ? key.toLowerCase() : key;
}

/**
 * Makes an index over definitions, of one workspace or several.
 *
 * @param definitions all that references may stand for, the Workspaces included
 */
export function createReferenceIndex(definitions: Iterable<Definition>): ReferenceIndex {
  const all = [...definitions];
  const workspaces = createWorkspaceIndex(all);
  const byName = new Map<string, Referable[]>();
  const byKey = new Map<string, Referable[]>();
  for (const definition of all) {
    if (!isReferable(definition)) continue;
    const scope = workspaces.scopeOf(definition);
    push(byName, slot(scope, definition.kind, definition.metadata.name), definition);
    push(byKey, slot(scope, definition.kind, fold(definition.kind, keyOfReferable(definition))), definition);
  }

  function candidates<K extends ReferableKind>(kind: K, reference: string, from: ObjectDefinition) {
    const scope = workspaces.scopeOf(from);
    const named = nearest(byName.get(slot(scope, kind, reference)), from);
    const keyed = nearest(byKey.get(slot(scope, kind, fold(kind, reference))), from);
    return {
      ...(isOfKind(named, kind) ? { byName: named } : {}),
      ...(isOfKind(keyed, kind) ? { byKey: keyed } : {}),
    };
  }

  return {
    candidates,
    resolve: (kind, reference, from) => {
      const found = candidates(kind, reference, from);
      const declared = found.byName ?? found.byKey;
      return declared === undefined ? { naturalKey: reference } : { naturalKey: keyOfReferable(declared), declared };
    },
    workspaceOf: workspaces.workspaceOf,
    scopeOf: workspaces.scopeOf,
  };
}

function isReferable(definition: Definition): definition is Referable {
  return definition.kind === 'Person' || definition.kind === 'Role' || definition.kind === 'DataSource';
}

function isOfKind<K extends ReferableKind>(
  found: Referable | undefined,
  kind: K,
): found is DefinitionOf<K> & Referable {
  return found?.kind === kind;
}

/** Several only when the same name is declared in several namespaces: then the one of the same namespace is meant. */
function nearest(found: readonly Referable[] | undefined, from: ObjectDefinition): Referable | undefined {
  return found?.find(({ metadata }) => metadata.namespace === from.metadata.namespace) ?? found?.[0];
}

/** One key for a map; names have no NUL. */
function slot(...parts: string[]): string {
  return parts.join('\0');
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
