/** Recognises mistakes by the lines of a text: typing mistakes that the parser reports elsewhere, comments in JSON, and Git's conflict markers. */

import type { LineCounter, YAMLError } from 'yaml';
import { grouped } from '../fields/fields.ts';
import { linePosition } from './positions.ts';
import type { Problem } from './problems.ts';

/** Typing mistakes that the parser reports at another place or under another name. The problem points at the group of the pattern. */
const slips: readonly (readonly [pattern: RegExp, message: string, remedy: string])[] = [
  [
    /^(?:--|-{4,}|[\u2012-\u2015]+)\s*$/d,
    'the line looks like a separator of definitions, but is not ---',
    'Write exactly three dashes: ---.',
  ],
  [
    /^\s*(-[A-Za-z_"'])[^\s:]*:(?:\s|$)/d,
    'a dash that begins an item of a list has no space after it',
    'Write a space between the dash and the name, as in "- name: ada".',
  ],
  [
    /^\s*(?:- +)*([A-Za-z][\w.-]*:)[^\s:/]\S*\s*$/d,
    'a colon has no space after it',
    'Write a space between the colon and the value, as in "name: ada".',
  ],
  [
    /^[ \t]*([\u00a0\u2000-\u200b\u202f\u3000])/d,
    'the line is indented with a character that looks like a space',
    'Indent with plain spaces; the character was probably copied from a web page or a word processor.',
  ],
];

/** The longest line that is searched. */
const longestLine = 1000;

/** The mistake on the line of a parser's error, or on the line above, where the parser could still continue. */
export function slipNear(error: YAMLError, text: string, lines: LineCounter, file: string): Problem | undefined {
  const { line } = linePosition(lines, error.pos[0]);
  for (const number of [line, line - 1]) {
    const slip = slipOn(lineAt(text, lines, number));
    if (slip !== undefined) return { severity: 'error', code: 'yaml_syntax', file, line: number, path: '', ...slip };
  }
  return error.code === 'BLOCK_AS_IMPLICIT_KEY' ? deepLine(line, text, lines, file) : undefined;
}

function slipOn(line: string): Pick<Problem, 'column' | 'message' | 'remedy'> | undefined {
  for (const [pattern, message, remedy] of line.length > longestLine ? [] : slips) {
    const match = pattern.exec(line);
    if (match !== null) return { column: (match.indices?.[1]?.[0] ?? 0) + 1, message, remedy };
  }
  return undefined;
}

/** The next line, if its deeper indentation made the parser read it as part of this line's value. */
function deepLine(line: number, text: string, lines: LineCounter, file: string): Problem | undefined {
  const field = /^\s*(?:- +)*[^\s:#]+: +\S(?!.*: )/;
  const below = lineAt(text, lines, line + 1);
  const indent = below.length - below.trimStart().length;
  if (!field.test(lineAt(text, lines, line)) || !/^\s+[^\s:#]+:(?:\s|$)/.test(below)) return undefined;
  return {
    severity: 'error',
    code: 'yaml_syntax',
    file,
    line: line + 1,
    column: indent + 1,
    path: '',
    message: 'the line is indented deeper than the one before, which already has a value',
    remedy: 'Indent both by the same number of spaces.',
  };
}

function lineAt(text: string, { lineStarts }: LineCounter, line: number): string {
  const start = lineStarts[line - 1];
  return start === undefined
    ? ''
    : text
        .slice(start, lineStarts[line])
        .replace(/\r?\n$/, '')
        .slice(0, longestLine + 1);
}

/** The problem of JSON with comments on lines of their own, which the parser would take for part of the next key; undefined where there are none. */
export function commentProblem(text: string, file: string): Problem | undefined {
  const comment = /\.json$/i.test(file) ? /^[ \t]*(?=\/[/*])/m.exec(text) : null;
  if (comment === null) return undefined;
  const line = text.slice(0, comment.index).split('\n').length;
  const message = 'JSON has no comments';
  const remedy = 'Remove the comment, or write the definition in YAML.';
  return {
    severity: 'error',
    code: 'yaml_syntax',
    file,
    line,
    column: comment[0].length + 1,
    path: '',
    message,
    remedy,
  };
}

/** The problem of a file with conflict markers; undefined where there are none. */
export function conflictProblem(text: string, file: string): Problem | undefined {
  const marks = /^(?:<{7}|>{7}|\|{7}|={7})(?:[ \r].*)?$/gm;
  const conflicts: { line: number; mark: string }[] = [];
  let line = 1;
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    for (let next = text.indexOf('\n', from); next >= 0 && next < index; next = text.indexOf('\n', from)) {
      line += 1;
      from = next + 1;
    }
    conflicts.push({ line, mark: mark.slice(0, 7) });
  }
  const [first] = conflicts;
  if (first === undefined) return undefined;
  const begins = conflicts.filter(({ mark }) => mark === '<<<<<<<');
  const end = conflicts.find(({ mark, line: at }) => mark === '>>>>>>>' && at > first.line);
  const more = begins.length > 1 ? `, the first of ${grouped(begins.length)}` : '';
  const message =
    end === undefined
      ? `the file has a conflict marker of Git (${first.mark}) from an unfinished merge`
      : `the file has an unresolved merge conflict of Git (lines ${first.line} to ${end.line}${more})`;
  const remedy =
    'Keep the lines that you want of both sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.';
  return { severity: 'error', code: 'merge_conflict', file, line: first.line, column: 1, path: '', message, remedy };
}
