import { differs, type FieldChange, type Step } from '../model/step.ts';
import { visible } from './visible.ts';

/** The longest value that is shown whole. */
const shortEnough = 60;

/** The longest excerpt of a line, and how much of it stands before the first difference. */
const excerptLength = 80;
const excerptLead = 20;

/** A change as it is shown: on one line, or as the first line that differs. Safe for one line each. */
export type ShownChange = { line: string } | { heading: string; from: string | undefined; to: string | undefined };

/**
 * Words a change for people. Long texts and those of several lines are shortened to the first line that differs, with
 * its number; the whole is in the plan's JSON.
 */
export function showChange({ field, from, to }: FieldChange): ShownChange {
  if (isShort(from) && isShort(to)) return { line: `${visible(field)}: ${whole(from)} -> ${whole(to)}` };
  const fromLines = linesOf(from);
  const toLines = linesOf(to);
  const index = firstDifference(fromLines, toLines);
  return {
    heading: `${visible(field)}${placeOf(index, Math.max(fromLines.length, toLines.length))}:`,
    from: excerpt(fromLines[index], toLines[index]),
    to: excerpt(toLines[index], fromLines[index]),
  };
}

/** The only change of a person's or role's names, where a line has room for it: `name "Ada King" instead of "Ada Byron"`. */
export function editWords({ operation, reason, changes = [] }: Step): string | undefined {
  const [change, ...others] = changes;
  const isEdit = (operation === 'updatePerson' || operation === 'updateRole') && reason === differs;
  if (!isEdit || change === undefined || others.length > 0) return undefined;
  const { field, from, to } = change;
  if (from === null || to === null || !isShort(from) || !isShort(to)) return undefined;
  return `${visible(field)} "${visible(to)}" instead of "${visible(from)}"`;
}

function isShort(value: string | null): boolean {
  return value === null || (value.length <= shortEnough && !value.includes('\n'));
}

function whole(value: string | null): string {
  if (value === null) return '(none)';
  return value === '' || value.trim() !== value ? `"${visible(value)}"` : visible(value);
}

const linesOf = (value: string | null): string[] => (value === null ? [] : value.split('\n'));

function firstDifference(before: readonly string[], after: readonly string[]): number {
  const shorter = Math.min(before.length, after.length);
  for (let index = 0; index < shorter; index += 1) if (before[index] !== after[index]) return index;
  return shorter;
}

function placeOf(index: number, lines: number): string {
  return lines > 1 ? `, from line ${index + 1} of ${lines}` : '';
}

/** The part of a line in which it differs from another one. */
function excerpt(line: string | undefined, other: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  if (line.length <= excerptLength) return visible(line);
  // By whole characters: half of one would be shown as an escape.
  const characters = Array.from(line);
  const start = Math.max(0, commonLength(characters, Array.from(other ?? '')) - excerptLead);
  const end = start + excerptLength;
  const shown = visible(characters.slice(start, end).join(''));
  return `${start > 0 ? '…' : ''}${shown}${end < characters.length ? '…' : ''}`;
}

function commonLength(lines: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < lines.length && lines[length] === other[length]) length += 1;
  return length;
}
