/** Names that are not the same and look as if they were, such as with a Cyrillic а in the place of a Latin one. */

import type { Definition, DefinitionOf } from '../definition.ts';
import { keyOfReferable, type ReferenceIndex } from '../reference-index.ts';
import { type CrossIssue, placeOf } from './cross-issue.ts';

type Named = DefinitionOf<'Person'> | DefinitionOf<'Role'> | DefinitionOf<'DataSource'>;

const fields = { Person: 'username', Role: 'name', DataSource: 'alias' } as const;

/**
 * The definitions whose name in the workspace looks like that of one before. Which of the two is meant nobody can tell, so
 * both are named. Names of ASCII alone are left out: who writes bam and barn means both.
 */
export async function findLookAlikes(definitions: readonly Definition[], index: ReferenceIndex): Promise<CrossIssue[]> {
  const named = definitions.filter((definition) => isNamed(definition));
  if (!named.some((definition) => isForeign(keyOfReferable(definition)))) return [];
  const skeletonOf = await loadSkeleton();
  const first = new Map<string, Named>();
  const issues: CrossIssue[] = [];
  for (const definition of named) {
    const key = keyOfReferable(definition);
    const slot = [index.scopeOf(definition), definition.kind, skeletonOf(key)].join('\0');
    const before = first.get(slot);
    if (before === undefined) first.set(slot, definition);
    else if (looksAlike(key, keyOfReferable(before))) issues.push(lookAlike(definition, before));
  }
  return issues;
}

/** A name in quotation marks, with the code points of what is not ASCII in it: two that look alike can be told apart. */
export function spelled(name: string): string {
  const foreign = [...new Set(name)].filter((character) => (character.codePointAt(0) ?? 0) > 127);
  const points = foreign.map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const quoted = JSON.stringify(name);
  return points.length === 0 ? quoted : `${quoted} (with ${points.join(', ')})`;
}

/** Two that share skeleton and letters are the same name, which is another problem. */
function looksAlike(one: string, other: string): boolean {
  return one.toLowerCase() !== other.toLowerCase() && (isForeign(one) || isForeign(other));
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

function isForeign(name: string): boolean {
  return /[^\0-\x7f]/.test(name);
}

/**
 * What a name looks like: the same for all that can be taken for each other (Unicode Technical Standard 39, section 4). The
 * table is loaded only where it is needed.
 */
async function loadSkeleton(): Promise<(name: string) => string> {
  const { default: unhomoglyph } = await import('unhomoglyph');
  return (name) => unhomoglyph(name.normalize('NFKC').toLowerCase().normalize('NFD')).normalize('NFD').toLowerCase();
}
