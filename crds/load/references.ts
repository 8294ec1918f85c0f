/** Finds references that probably mean something else, and lists that name one object in two ways. */

import { spelled } from '../fields/look-alike.ts';
import type { Definition, ObjectDefinition } from '../kinds/definition.ts';
import type { ReferableKind, Reference } from '../kinds/kind.ts';
import { referencesOf } from '../kinds/registry.ts';
import { isReferable, keyOfReferable, type ReferenceIndex } from '../references/reference-index.ts';
import { type CrossIssue, errorAt, placeOf, warningAt } from './problems.ts';
import { slips } from './suggest.ts';

/** Names of definitions that were read and are wrong. A reference to one of them is not a typing mistake. */
export type BrokenNames = ReadonlySet<string>;

export function brokenName(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/** Checks the references of all definitions, but not what roles contain in all. */
export function findReferenceIssues(
  definitions: readonly Definition[],
  index: ReferenceIndex,
  broken: BrokenNames,
): CrossIssue[] {
  const names = declaredNames(definitions, index);
  const hasDataSources = definitions.some(({ kind }) => kind === 'DataSource');
  return definitions.flatMap((definition) => {
    if (definition.kind === 'Workspace') return [];
    const references = referencesOf(definition);
    const unclear = references.flatMap(
      (reference) => unclearReference(definition, reference, index, names, broken) ?? [],
    );
    return [
      ...unclear,
      ...repeatedItems(definition, references, index),
      ...emptySelectors(definition, index, hasDataSources),
    ];
  });
}

function unclearReference(
  from: ObjectDefinition,
  { kind, name, path }: Reference,
  index: ReferenceIndex,
  names: DeclaredNames,
  broken: BrokenNames,
): CrossIssue | undefined {
  const at = { severity: 'warning' as const, path: ['spec', ...path], at: 'value' as const, source: from.source };
  const { byName, byKey } = index.candidates(kind, name, from);
  if (byName !== undefined && byKey !== undefined && byName !== byKey) {
    const message = `means the ${kind} ${name} at ${placeOf(byName)}, not the one at ${placeOf(byKey)} that is called ${name} in the workspace`;
    const remedy = `If the other is meant, write ${byKey.metadata.name}.`;
    return { ...at, code: 'reference_ambiguous', message, remedy };
  }
  if (byName !== undefined || byKey !== undefined || broken.has(brokenName(kind, name))) return undefined;
  const near = names.near(index.scopeOf(from), kind, name);
  if (from.kind === 'Role' && kind === 'Role') {
    const message = `is ${spelled(name)}, which no Role here declares: what it gives is not known`;
    const remedy = near === undefined ? 'Declare it, or name the file that does.' : `Did you mean ${near}?`;
    return { ...at, severity: 'error', code: 'role_undeclared', message, remedy };
  }
  if (near === undefined) return undefined;
  const message = `is ${spelled(name)}, which no ${kind} here declares, but ${spelled(near)} is declared`;
  const remedy = `Did you mean ${near}? If not, it is looked up in the workspace.`;
  return { ...at, code: 'reference_close', message, remedy };
}

/** Finds items of one list that mean the same object: one by its name here, one by its name in the workspace. */
function repeatedItems(from: ObjectDefinition, references: readonly Reference[], index: ReferenceIndex): CrossIssue[] {
  if (from.kind !== 'Role') return [];
  const first = new Map<string, Reference>();
  return references.flatMap((reference) => {
    const { naturalKey } = index.resolve(reference.kind, reference.name, from);
    const key = `${reference.kind}\0${naturalKey}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, reference);
      return [];
    }
    const message = `is the same ${reference.kind} as ${earlier.name} before it`;
    const path = ['spec', ...reference.path];
    return [{ ...errorAt(path, 'item_duplicate', message, 'Remove one of the two.'), source: from.source }];
  });
}

/**
 * A selector only knows what is declared: one that selects nothing is probably misspelt. Where no data source is declared at all, their
 * files were left out, and the role would lose every data source.
 */
function emptySelectors(from: ObjectDefinition, index: ReferenceIndex, hasDataSources: boolean): CrossIssue[] {
  if (from.kind !== 'Role' || from.spec.dataSourceSelector === undefined) return [];
  if (index.select(from.spec.dataSourceSelector, from).length > 0) return [];
  const message = hasDataSources
    ? 'selects no DataSource that is declared here'
    : 'selects from declared DataSources, and none is declared here: the role would lose all of its data sources';
  const remedy = 'Correct the labels, or name the files that declare the data sources too.';
  const issueAt = hasDataSources ? warningAt : errorAt;
  const issue = issueAt(['spec', 'dataSourceSelector'], 'selector_empty', message, remedy);
  return [{ ...issue, at: 'key', source: from.source }];
}

interface DeclaredNames {
  near(scope: string, kind: ReferableKind, name: string): string | undefined;
}

/** The names that a reference could mean, by workspace, kind and length, so that few are compared. */
function declaredNames(definitions: readonly Definition[], index: ReferenceIndex): DeclaredNames {
  const byLength = new Map<string, Set<string>>();
  const add = (slot: string, name: string) => {
    const key = `${slot}\0${name.length}`;
    const set = byLength.get(key);
    if (set === undefined) byLength.set(key, new Set([name]));
    else set.add(name);
  };
  for (const definition of definitions) {
    if (!isReferable(definition)) continue;
    const slot = `${index.scopeOf(definition)}\0${definition.kind}`;
    add(slot, definition.metadata.name);
    add(slot, keyOfReferable(definition));
  }
  const answers = new Map<string, string | undefined>();
  return {
    near: (scope, kind, name) => {
      const slot = `${scope}\0${kind}`;
      const key = `${slot}\0${name}`;
      if (!answers.has(key)) answers.set(key, closest(name, slot, byLength));
      return answers.get(key);
    },
  };
}

/** Short names are often close to each other without a typing mistake. */
function allowedDistance(length: number): number {
  return length < 4 ? 0 : length < 6 ? 1 : 2;
}

function closest(name: string, slot: string, byLength: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const allowed = allowedDistance(name.length);
  let best: string | undefined;
  let distance = allowed + 1;
  for (let length = name.length - allowed; length <= name.length + allowed; length += 1) {
    for (const candidate of byLength.get(`${slot}\0${length}`) ?? []) {
      const count = slips(name, candidate, distance);
      if (count < distance) {
        best = candidate;
        distance = count;
      }
    }
  }
  return best;
}
