/** Decides where and how to write a start into the text of a mapping, so that nothing else changes. */

import { type CST, isScalar, type Pair, type YAMLMap } from 'yaml';

/** A text to insert, and its offset in the original text. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/**
 * Inserts `startsAt` before `duration`, or before the first field if a merge brings the duration.
 *
 * @param spec a mapping that was parsed with its source tokens
 * @param time as `2026-12-01T09:00:00Z`
 * @returns undefined if the mapping has no place for it
 */
export function startInsertion(text: string, spec: YAMLMap, time: string): Insertion | undefined {
  const index = spec.items.findIndex(({ key }) => isScalar(key) && key.value === 'duration');
  const neighbour = spec.items[Math.max(index, 0)];
  const token = neighbour?.srcToken;
  if (neighbour === undefined || token === undefined) return undefined;
  const begin = beginOf(token);
  if (begin === undefined) return undefined;
  const field = isQuoted(neighbour) ? `"startsAt": "${time}"` : `startsAt: ${time}`;
  const lineStart = text.lastIndexOf('\n', begin - 1) + 1;
  const ownLine = text.slice(lineStart, begin).trim() === '';
  if (spec.flow === true && !ownLine) return { offset: begin, text: `${field}, ` };
  const separator = spec.flow === true ? ',' : '';
  const indentation = ownLine ? text.slice(lineStart, begin) : ' '.repeat(begin - lineStart);
  const lineBreak = lineBreakAround(text, lineStart);
  if (!ownLine) return { offset: begin, text: `${field}${lineBreak}${indentation}` };
  // A line in the text of the field before may look like a comment. Before the first field, only comments do.
  const limit = index > 0 ? (token.start[0]?.offset ?? begin) : 0;
  const offset = startOfComments(text, lineStart, limit);
  return { offset, text: `${indentation}${field}${separator}${lineBreak}` };
}

/** Offset at which a pair begins, with the question mark, anchor or tag that its key may have. */
function beginOf({ start, key }: CST.CollectionItem): number | undefined {
  const first = start.find(({ type }) => !['space', 'newline', 'comment', 'comma', 'flow-map-start'].includes(type));
  return first?.offset ?? key?.offset;
}

function isQuoted({ key }: Pair): boolean {
  return isScalar(key) && (key.type === 'QUOTE_DOUBLE' || key.type === 'QUOTE_SINGLE');
}

/** The line break that the file has before or after a line. */
function lineBreakAround(text: string, lineStart: number): string {
  const at = lineStart > 0 ? lineStart - 1 : text.indexOf('\n');
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** The start of the comment lines that stand directly above a line and belong to it. */
function startOfComments(text: string, lineStart: number, limit: number): number {
  let start = lineStart;
  while (start > limit) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    if (above < limit || !/^[ \t]*#/.test(text.slice(above, start))) break;
    start = above;
  }
  return start;
}
