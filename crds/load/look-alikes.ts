/** Definitions of which one can be taken for another. */

import { areLookAlikes, isForeign, loadSkeleton, spelled } from '../fields/look-alike.ts';
import type { Definition, DefinitionOf } from '../kinds/definition.ts';
import { keyOfReferable, type ReferenceIndex } from '../references/reference-index.ts';
import { type CrossIssue, placeOf } from './problems.ts';

type Named = DefinitionOf<'Person'> | DefinitionOf<'Role'> | DefinitionOf<'DataSource'>;

const fields = { Person: 'username', Role: 'name', DataSource: 'alias' } as const;

/**
 * The definitions whose name in the workspace looks like that of one before. Which of the two is meant nobody can tell, so
 * both are named. Names of ASCII alone are left out: who writes bam and barn means both.
 */
export async function findLookAlikes(definitions: readonly Definition[], index: ReferenceIndex): Promise<CrossIssue[]> {
  if (!definitions.some((definition) => isNamed(definition) && isForeign(keyOfReferable(definition)))) return [];
  return compareNames(definitions, index, await loadSkeleton());
}

/**
 * The same for who has the table of look-alikes already.
 *
 * @param skeletonOf what a name looks like
 */
export function compareNames(
  definitions: readonly Definition[],
  index: ReferenceIndex,
  skeletonOf: (name: string) => string,
): CrossIssue[] {
  const named = definitions.filter((definition) => isNamed(definition));
  const first = new Map<string, Named>();
  const issues: CrossIssue[] = [];
  for (const definition of named) {
    const key = keyOfReferable(definition);
    const slot = [index.scopeOf(definition), definition.kind, skeletonOf(key)].join('\0');
    const before = first.get(slot);
    if (before === undefined) first.set(slot, definition);
    else if (areLookAlikes(key, keyOfReferable(before))) issues.push(lookAlike(definition, before));
  }
  return issues;
}

function lookAlike(definition: Named, before: Named): CrossIssue {
  const message = `is ${spelled(keyOfReferable(definition))}, which looks like ${spelled(keyOfReferable(before))} of ${before.kind} ${before.metadata.name} at ${placeOf(before)}, and is another`;
  return {
    severity: 'warning',
    code: 'look_alike',
    path: ['spec', fields[definition.kind]],
    at: 'value',
    message,
    remedy: 'If one is meant, write it with the same letters; if both are, choose names that people can tell apart.',
    source: definition.source,
  };
}

function isNamed(definition: Definition): definition is Named {
  return definition.kind === 'Person' || definition.kind === 'Role' || definition.kind === 'DataSource';
}
