/** Writes a start into the permissions and memberships of a text that have a duration and neither start nor end. */

import { isDeepStrictEqual } from 'node:util';
import { isMap } from 'yaml';
import { needsAnchor } from '../fields/window.ts';
import { mapping } from '../json.ts';
import type { Definition, DefinitionOf } from '../kinds/definition.ts';
import { parseDocuments, toValue } from '../load/parse.ts';
import { nodeAt } from '../load/positions.ts';
import { errorAt, hasErrors, type Problem, toProblem } from '../load/problems.ts';
import { emptyReading, readDefinitions } from '../load/read-file.ts';
import type { Path } from '../path.ts';
import { type Insertion, startInsertion } from './insertion.ts';

/** A permission or membership that got a start. */
export interface Anchored {
  /** Its metadata.name. */
  readonly name: string;
  /** The line of its definition in the new text, from 1. */
  readonly line: number;
  /** As in `2026-12-01T09:00:00.000Z`. */
  readonly startsAt: string;
  readonly expiresAt: string;
}

/** The text with its starts; or what is wrong with it, and then nothing may be written. */
export type AnchoredText =
  | { readonly text: string; readonly anchored: readonly Anchored[] }
  | { readonly problems: readonly Problem[] };

/**
 * Writes `startsAt` into each Permission and RoleMembership that has a `duration` and no start. Every other character stays: the text is
 * not written anew, a line (or, in flow style, a field) is put in.
 *
 * @param text of a file, without its byte order mark
 * @param file for problems
 * @param startsAt the start, in whole seconds: the end, which is counted from it, is then the one that the service stores
 */
export function anchorText(text: string, file: string, startsAt: Date): AnchoredText {
  const parsed = read(text, file);
  if (hasErrors(parsed.problems)) return parsed;
  const wanted = parsed.definitions.filter(isUnanchored);
  if (wanted.length === 0) return { text, anchored: [] };
  const time = startsAt.toISOString().replace('.000Z', 'Z');
  const placed = insertionsOf(text, wanted, time);
  if ('without' in placed) return { problems: [notPlaced(placed.without)] };
  const edited = insertAll(text, placed.insertions);
  const after = read(edited, file);
  if (hasErrors(after.problems)) return { problems: after.problems.map((problem) => unmoved(problem, wanted)) };
  const changed = firstUnexpected(text, edited, wanted, time);
  if (changed !== undefined) return { problems: [notPlaced(changed)] };
  return { text: edited, anchored: describeAnchored(wanted, after.definitions) };
}

type Unanchored = DefinitionOf<'Permission'> | DefinitionOf<'RoleMembership'>;

function read(text: string, file: string) {
  const reading = emptyReading();
  readDefinitions(reading, file, text);
  return reading;
}

function isUnanchored(definition: Definition): definition is Unanchored {
  return isTimed(definition) && needsAnchor(definition.spec);
}

const isTimed = (definition: Definition | undefined): definition is Unanchored =>
  definition?.kind === 'Permission' || definition?.kind === 'RoleMembership';

function insertionsOf(
  text: string,
  wanted: readonly Unanchored[],
  time: string,
): { insertions: Insertion[] } | { without: Unanchored } {
  const byDocument = Map.groupBy(wanted, ({ source }) => source.document);
  // By offset: two definitions may share a spec by an alias, which then gets its start once.
  const insertions = new Map<number, Insertion>();
  for (const { index, document } of parseDocuments(text, true)) {
    for (const definition of byDocument.get(index) ?? []) {
      const spec = nodeAt(document, specPath(definition));
      const insertion = isMap(spec) ? startInsertion(text, spec, time) : undefined;
      if (insertion === undefined) return { without: definition };
      insertions.set(insertion.offset, insertion);
    }
  }
  return { insertions: [...insertions.values()] };
}

function specPath({ source: { item } }: Unanchored): Path {
  return item === undefined ? ['spec'] : ['items', item, 'spec'];
}

function insertAll(text: string, insertions: readonly Insertion[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { offset, text: inserted } of insertions.toSorted((a, b) => a.offset - b.offset)) {
    parts.push(text.slice(from, offset), inserted);
    from = offset;
  }
  return [...parts, text.slice(from)].join('');
}

/**
 * The first definition for which the edited text says anything else than the text before with the start put in: an alias
 * or a merge can carry what was written for one to another place. Undefined when all is as it should be.
 */
function firstUnexpected(
  text: string,
  edited: string,
  wanted: readonly Unanchored[],
  time: string,
): Unanchored | undefined {
  const byDocument = Map.groupBy(wanted, ({ source }) => source.document);
  const after = parseDocuments(edited);
  for (const { index, document } of parseDocuments(text)) {
    // Without sharing, so that a start which is put into one value is not in another.
    const expected = structuredCopy(toValue(document));
    for (const definition of byDocument.get(index) ?? []) specOf(expected, definition)['startsAt'] = time;
    const next = after.next();
    const value = next.done === true ? undefined : toValue(next.value.document);
    if (!isDeepStrictEqual(expected, structuredCopy(value))) return byDocument.get(index)?.[0] ?? wanted[0];
  }
  return undefined;
}

/** Copies plain values, each as often as it is referred to. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)]));
}

function specOf(value: unknown, { source: { item } }: Unanchored): Record<string, unknown> {
  const document = mapping(value);
  const items = document['items'];
  const unit = item === undefined ? document : mapping(Array.isArray(items) ? items[item] : undefined);
  // It is the mapping of a definition that was read, so that writing into it is writing into the copy.
  return mapping(unit['spec']);
}

function notPlaced({ source: { file, line } }: Unanchored): Problem {
  const message = 'comes in a way that leaves no place for a start of its own, such as by an alias';
  const remedy = 'Write startsAt by hand.';
  return toProblem(errorAt(['spec', 'duration'], 'not_on_command_line', message, remedy), file, { line, column: 1 });
}

/** A problem that the start has caused, at the definition in the file as it is. */
function unmoved(problem: Problem, [first]: readonly Unanchored[]): Problem {
  return { ...problem, line: first?.source.line ?? 0, column: 1 };
}

function describeAnchored(wanted: readonly Unanchored[], after: readonly Definition[]): Anchored[] {
  const byPlace = new Map(after.map((definition) => [placeOf(definition), definition]));
  return wanted.flatMap((definition) => {
    const written = byPlace.get(placeOf(definition));
    if (!isTimed(written)) return [];
    const { startsAt = '', expiresAt = '' } = written.spec;
    return [{ name: written.metadata.name, line: written.source.line, startsAt, expiresAt }];
  });
}

function placeOf({ source: { document, item } }: Definition): string {
  return `${document}/${item ?? ''}`;
}
