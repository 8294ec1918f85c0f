/** Finds definitions whose names people could confuse. */

import { areLookAlikes, isForeign, loadSkeleton, spelled } from '../fields/look-alike.ts';
import type { Definition } from '../kinds/definition.ts';
import { isReferable, keyOfReferable, type Referable, type ReferenceIndex } from '../references/reference-index.ts';
import { type CrossIssue, placeOf, warningAt } from './problems.ts';

const fields = { Person: 'username', Role: 'name', DataSource: 'alias' } as const;

/**
 * Finds definitions whose name in the workspace looks like an earlier one. No one can tell which of the two is meant, so the
 * message names both. It leaves out names in ASCII alone: people who write bam and barn mean both.
 */
export async function findLookAlikes(definitions: readonly Definition[], index: ReferenceIndex): Promise<CrossIssue[]> {
  if (!definitions.some((definition) => isReferable(definition) && isForeign(keyOfReferable(definition)))) return [];
  return compareNames(definitions, index, await loadSkeleton());
}

/**
 * The same, for callers that have loaded the table of look-alikes.
 *
 * @param skeletonOf what a name looks like
 */
export function compareNames(
  definitions: readonly Definition[],
  index: ReferenceIndex,
  skeletonOf: (name: string) => string,
): CrossIssue[] {
  const named = definitions.filter((definition) => isReferable(definition));
  const first = new Map<string, Referable>();
  const issues: CrossIssue[] = [];
  for (const definition of named) {
    const key = keyOfReferable(definition);
    const slot = [index.scopeOf(definition), definition.kind, skeletonOf(key)].join('\0');
    const earlier = first.get(slot);
    if (earlier === undefined) first.set(slot, definition);
    else if (areLookAlikes(key, keyOfReferable(earlier))) issues.push(lookAlike(definition, earlier));
  }
  return issues;
}

function lookAlike(definition: Referable, earlier: Referable): CrossIssue {
  const message = `is ${spelled(keyOfReferable(definition))}, which looks like ${spelled(keyOfReferable(earlier))} of ${earlier.kind} ${earlier.metadata.name} at ${placeOf(earlier)}, and is another`;
  const remedy =
    'If one is meant, write it with the same letters; if both are, choose names that people can tell apart.';
  return { ...warningAt(['spec', fields[definition.kind]], 'look_alike', message, remedy), source: definition.source };
}
