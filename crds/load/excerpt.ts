/** Prepares the line that a problem is about, to be shown with a mark under its place. */

import { displayWidth } from '../display-width.ts';
import { type Problem, printable } from './problems.ts';

/** A line of a file, and the part of it that a problem is about. It contains no secret. */
export interface Excerpt {
  readonly line: number;
  /** One line without control characters or tabs; `…` stands where a long line is cut, `***` for a secret. */
  readonly text: string;
  /** Columns of a terminal before the place. */
  readonly indent: number;
  /** Columns that the place takes, at least 1. */
  readonly width: number;
}

/** The most columns of a line that are shown. */
const mostColumns = 100;

/** Characters of a line that are shown on either side of the position. */
const window = 400;

/** Longer lines are not shown: no person wrote them, and it takes too long to find their secrets. */
const longestLine = 10_000;

const mask = '***';

/**
 * Shows where problems are, by the texts of their files. Remembers the last file only.
 *
 * @param textOf the text of a file; empty where it is gone
 */
export function createExcerpts(textOf: (file: string) => string): (problem: Problem) => Excerpt | undefined {
  let file: string | undefined;
  let lines: readonly string[] = [];
  return (problem) => {
    if (problem.line === 0) return undefined;
    if (problem.file !== file) {
      file = problem.file;
      lines = textOf(file).split('\n');
    }
    return excerptAt(lines, problem.line, problem.column);
  };
}

/** @param column from 1; past the end of the line it is the end */
export function excerptAt(lines: readonly string[], line: number, column: number): Excerpt | undefined {
  const whole = lines[line - 1]?.replace(/\r$/, '');
  if (whole === undefined || whole.trim() === '' || whole.length > longestLine) return undefined;
  const at = Math.min(Math.max(column - 1, 0), whole.length);
  const end = at + wordLength(whole.slice(at, at + window));
  const first = Math.max(0, at - window);
  const last = Math.min(whole.length, at + window);
  const cells = cellsOf(whole, { first, at, end, last }, secretsIn(lines, line - 1, whole));
  return cut(cells, line, first > 0, last < whole.length);
}

/** An indivisible piece of a line, and whether it stands before, in or after the place. */
interface Cell {
  readonly text: string;
  readonly width: number;
  readonly part: 0 | 1 | 2;
}

type Range = readonly [from: number, to: number];

/** The part of a line that is used, from `first` to `last`, and the place in it, from `at` to `end`. */
interface Bounds {
  readonly first: number;
  readonly at: number;
  readonly end: number;
  readonly last: number;
}

function cellsOf(line: string, { first, at, end, last }: Bounds, secrets: readonly Range[]): Cell[] {
  const cells: Cell[] = [];
  for (let index = first; index < last; ) {
    const part = index < at ? 0 : index < end ? 1 : 2;
    const secret = secrets.find(([from, to]) => from <= index && index < to);
    if (secret === undefined) {
      const character = String.fromCodePoint(line.codePointAt(index) ?? 0);
      cells.push({ ...shown(character), part });
      index += character.length;
    } else {
      // One mask for the whole place.
      cells.push({ text: mask, width: mask.length, part: index <= at && at < secret[1] ? 1 : part });
      index = secret[1];
    }
  }
  return cells;
}

function shown(character: string): { text: string; width: number } {
  if (character === '\t') return { text: '    ', width: 4 };
  // A blank that is not a space is the fault of its line, and would be invisible.
  const isBlank = character !== ' ' && /^\p{Zs}$/u.test(character) && character !== '\u3000';
  const text = isBlank ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : printable(character);
  if (text !== character) return { text, width: text.length };
  return { text, width: displayWidth(text) };
}

/** Keeps the columns around the place. */
function cut(cells: readonly Cell[], line: number, isCutBefore: boolean, isCutAfter: boolean): Excerpt {
  const head = cells.filter(({ part }) => part === 0);
  const rest = cells.filter(({ part }) => part !== 0);
  // Keep the beginning, which shows a list or a mapping, if there is room.
  const isShort = !isCutBefore && columns(head) <= mostColumns / 2;
  const left = isShort ? head : fitting(head.toReversed(), mostColumns / 4).toReversed();
  const right = fitting(rest, mostColumns - columns(left));
  const lead = left.length < head.length || isCutBefore ? '…' : '';
  const trail = right.length < rest.length || isCutAfter ? '…' : '';
  const text = [lead, ...left.map((cell) => cell.text), ...right.map((cell) => cell.text), trail].join('').trimEnd();
  const place = right.filter(({ part }) => part === 1);
  return { line, text, indent: lead.length + columns(left), width: Math.max(1, columns(place)) };
}

function columns(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

function fitting(cells: readonly Cell[], most: number): Cell[] {
  let sum = 0;
  return cells.filter(({ width }) => (sum += width) <= most);
}

/** The length of the first word of a text: a quoted text, a key, or a value up to its end; at least 1. */
function wordLength(text: string): number {
  const word = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[[\]{},]|\s+|(?:[^\s:,[\]{}]|:(?=\S))+)/.exec(text);
  return Math.max(1, word?.[0].length ?? 1);
}

/** Names of fields and parameters whose values are secret, in any spelling. */
const secretName = /(?:pass(?:word|wd|phrase)?|pwd|\bpw|secret|token|api[-_ ]?key|private[-_ ]?key|credentials?)/i;

/** Such a name with what follows it. A password written after passwordFrom is a common slip. */
const secretField = new RegExp(`${secretName.source}(?:From)?["']?\\s*(?:=|:(?!//))\\s*`, 'i');

/** Sources of a secret: the name of a variable or a file is not a secret itself. */
const origin =
  /^(?:-\s+)?\{?\s*(?:["']?(?:env|file|secretKeyRef|name|key|keyId|keySecret)["']?\s*:\s*(?:\{\s*|["']?(?:[A-Z][A-Z0-9_]*|[\w-]*[./][\w./-]*)["']?)?[\s,}]*)+$/;

/** Password of a URI: the text between `scheme://user:` and the last @, or the end where no port explains the colon. */
const userInfo = /:\/\/[^\s:@/?#]*:(?!\d{1,5}(?:[/?#"'\s,\]}]|$))/;

/** The parts of a line that may be a secret. In doubt, a part is hidden. */
function secretsIn(lines: readonly string[], index: number, line: string): Range[] {
  if (isInsideSecret(lines, index)) return [[indentOf(line), line.length]];
  const ranges: Range[] = [];
  const field = secretField.exec(line) ?? /\bidentified\s+by\s+/i.exec(line);
  const value = field === null ? line.length : field.index + field[0].length;
  if (value < line.length && !isOrigin(line) && !isOrigin(line.slice(value))) ranges.push([value, line.length]);
  const user = userInfo.exec(line);
  if (user !== null) {
    const from = user.index + user[0].length;
    const at = line.lastIndexOf('@');
    const to = at > from ? at : line.length;
    if (ranges.every(([start]) => to <= start)) ranges.push([from, to]);
    else if (ranges.some(([start]) => from < start)) return [[from, line.length]];
  }
  return ranges.toSorted(([a], [b]) => a - b);
}

/** Lines above a line that are searched for its parent. */
const mostParents = 200;

/** True if a line belongs to a secret that began above it: a block of text, a quoted text, a value on a line of its own. */
function isInsideSecret(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  if (isOrigin(line)) return false;
  let indent = indentOf(line);
  let isNext = true;
  for (let above = index - 1; above >= Math.max(0, index - mostParents); above -= 1) {
    const parent = lines[above] ?? '';
    if (parent.length > longestLine) return true;
    if (parent.trim() === '') continue;
    const parentIndent = indentOf(parent);
    if (parentIndent < indent || isNext) {
      const field = secretField.exec(parent);
      const value = field === null ? undefined : parent.slice(field.index + field[0].length).trim();
      if (value !== undefined && (parentIndent < indent || isOpen(value))) return true;
    }
    isNext = false;
    indent = Math.min(indent, parentIndent);
  }
  // A line of a key in PEM, or a token.
  return /^[\w+/=.-]{60,}$/.test(line.trim());
}

function isOpen(value: string): boolean {
  return value === '' || /^[|>]/.test(value) || /^(["'])(?!.*\1)/.test(value);
}

function isOrigin(text: string): boolean {
  return origin.test(text.trim());
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
