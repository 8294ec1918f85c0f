/** Finds what references stand for. */

import type { LabelSelector } from '../fields/label-selector.ts';
import type { Definition, DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';
import type { ReferableKind } from '../kinds/kind.ts';
import { createWorkspaceIndex, type WorkspaceIndex } from './workspace-index.ts';

/** The target of a reference. Without a declared object, it is a natural key of the workspace. */
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
  /** The declared DataSources of the same workspace that have all labels of a selector. */
  readonly select: (selector: LabelSelector, from: ObjectDefinition) => readonly DefinitionOf<'DataSource'>[];
  /** The RoleMemberships that add data sources to a declared Role. */
  readonly additionsTo: (role: DefinitionOf<'Role'>) => readonly Addition[];
  /** The Workspace that a definition belongs to; undefined where none is declared, or the choice is not clear. */
  readonly workspaceOf: (definition: ObjectDefinition) => DefinitionOf<'Workspace'> | undefined;
  /** A text that is the same for all definitions of one workspace, and different for those of another. */
  readonly scopeOf: (definition: ObjectDefinition) => string;
}

/** A RoleMembership that adds a data source. */
export type Addition = DefinitionOf<'RoleMembership'> & { readonly spec: { readonly dataSource: string } };

/** The declared objects of one kind in one workspace. */
interface Names {
  readonly byName: Map<string, OneOrMore>;
  readonly byKey: Map<string, OneOrMore>;
}

/** Several only when the same name is declared in several namespaces. */
type OneOrMore = Referable | readonly Referable[];

const emptyNames = (): Names => ({ byName: new Map(), byKey: new Map() });

type Scope = Readonly<Record<ReferableKind, Names>>;

/** A definition of a kind that others refer to. */
export type Referable = DefinitionOf<'Person'> | DefinitionOf<'Role'> | DefinitionOf<'DataSource'>;

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
  // Made at the first question, as are the others below.
  let scopes: ReadonlyMap<string, Scope> | undefined;
  const namesOf = (scope: string): Scope | undefined => (scopes ??= indexNames(all, workspaces)).get(scope);

  function find<K extends ReferableKind>(by: keyof Names, kind: K, text: string, from: ObjectDefinition) {
    const target = nearest(namesOf(workspaces.scopeOf(from))?.[kind][by].get(text), from);
    return isOfKind(target, kind) ? target : undefined;
  }

  // Most sets have no selector, and need no index of labels.
  const labels = new Map<string, Map<string, DefinitionOf<'DataSource'>[]>>();
  function labelled(scope: string): Map<string, DefinitionOf<'DataSource'>[]> {
    const cached = labels.get(scope);
    if (cached !== undefined) return cached;
    const declared = [...(namesOf(scope)?.DataSource.byName.values() ?? [])].flat();
    const made = indexLabels(declared.filter((definition) => isOfKind(definition, 'DataSource')));
    labels.set(scope, made);
    return made;
  }

  function resolve<K extends ReferableKind>(kind: K, reference: string, from: ObjectDefinition): Resolved<K> {
    const declared = find('byName', kind, reference, from) ?? find('byKey', kind, fold(kind, reference), from);
    return declared === undefined ? { naturalKey: reference } : { naturalKey: keyOfReferable(declared), declared };
  }

  // Made at the first question too: most sets have no role that contains others.
  let additions: ReadonlyMap<unknown, readonly Addition[]> | undefined;

  return {
    additionsTo: (role) => {
      additions ??= Map.groupBy(all.filter(isAddition), (item) => resolve('Role', item.spec.role, item).declared);
      return additions.get(role) ?? [];
    },
    select: ({ matchLabels }, from) => {
      const byLabel = labelled(workspaces.scopeOf(from));
      const [first = [], ...others] = Object.entries(matchLabels)
        .map(([key, value]) => byLabel.get(labelKey(key, value)) ?? [])
        .sort((list, other) => list.length - other.length)
        .map((matches) => new Set(matches));
      return [...first].filter((dataSource) => others.every((matchSet) => matchSet.has(dataSource)));
    },
    candidates: (kind, reference, from) => {
      const byName = find('byName', kind, reference, from);
      const byKey = find('byKey', kind, fold(kind, reference), from);
      return { ...(byName && { byName }), ...(byKey && { byKey }) };
    },
    resolve,
    workspaceOf: workspaces.workspaceOf,
    scopeOf: workspaces.scopeOf,
  };
}

function indexNames(all: readonly Definition[], { scopeOf }: WorkspaceIndex): Map<string, Scope> {
  const scopes = new Map<string, Scope>();
  for (const definition of all) {
    if (!isReferable(definition)) continue;
    const scope = scopeOf(definition);
    const ofScope = scopes.get(scope) ?? { Person: emptyNames(), Role: emptyNames(), DataSource: emptyNames() };
    scopes.set(scope, ofScope);
    const { byName, byKey } = ofScope[definition.kind];
    push(byName, definition.metadata.name, definition);
    push(byKey, fold(definition.kind, keyOfReferable(definition)), definition);
  }
  return scopes;
}

/** True if others can refer to the definition. */
export function isReferable(definition: Definition): definition is Referable {
  return definition.kind === 'Person' || definition.kind === 'Role' || definition.kind === 'DataSource';
}

function isAddition(definition: Definition): definition is Addition {
  return definition.kind === 'RoleMembership' && definition.spec.dataSource !== undefined;
}

function isOfKind<K extends ReferableKind>(
  definition: Referable | undefined,
  kind: K,
): definition is DefinitionOf<K> & Referable {
  return definition?.kind === kind;
}

/** Of several, the one of the same namespace is meant. */
function nearest(candidates: OneOrMore | undefined, from: ObjectDefinition): Referable | undefined {
  if (candidates === undefined || 'kind' in candidates) return candidates;
  return candidates.find(({ metadata }) => metadata.namespace === from.metadata.namespace) ?? candidates[0];
}

function indexLabels(dataSources: readonly DefinitionOf<'DataSource'>[]): Map<string, DefinitionOf<'DataSource'>[]> {
  const byLabel = new Map<string, DefinitionOf<'DataSource'>[]>();
  for (const dataSource of dataSources) {
    for (const [key, value] of Object.entries(dataSource.metadata.labels)) {
      const bucket = byLabel.get(labelKey(key, value));
      if (bucket === undefined) byLabel.set(labelKey(key, value), [dataSource]);
      else bucket.push(dataSource);
    }
  }
  return byLabel;
}

const labelKey = (key: string, value: string): string => `${key}\0${value}`;

function push(map: Map<string, OneOrMore>, key: string, value: Referable): void {
  const previous = map.get(key);
  map.set(key, previous === undefined ? value : [previous, value].flat());
}
