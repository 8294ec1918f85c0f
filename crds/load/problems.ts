import type { Issue } from '../issue.ts';
import type { Definition, Source } from '../kinds/definition.ts';
import { formatPath, type Path } from '../path.ts';
import type { ProblemCode } from './problem-codes.ts';

/** One problem of the input, as people see it. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  /** As it was named or found; `-` is standard input. */
  readonly file: string;
  /** From 1; 0 when the problem is with the file as a whole. */
  readonly line: number;
  readonly column: number;
  /** Such as `spec.people[2]`; empty for the document as a whole. */
  readonly path: string;
  /** Fault, as a sentence without its full stop. Never repeats a value that could be a secret. */
  readonly message: string;
  /** Remedy, as a sentence. */
  readonly remedy: string;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Makes a problem of an issue, once its position is known. */
export function toProblem(issue: Issue, file: string, { line, column }: Position): Problem {
  const { severity, code, message, remedy } = issue;
  const path = shorten(printable(formatPath(issue.path)), 300);
  const subject = path === '' ? 'the document' : path;
  const text = shorten(printable(`${subject} ${message}`), 1000);
  return { severity, code, file, line, column, path, message: text, remedy: shorten(printable(remedy), 1000) };
}

/** A key or a value may be as long as its file, and would hide the problem. */
function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** A problem with a file as a whole. */
export function fileProblem(code: ProblemCode, file: string, message: string, remedy: string): Problem {
  return { severity: 'error', code, file, line: 0, column: 0, path: '', message, remedy };
}

/** An error at a path of a document. */
export function errorAt(path: Path, code: ProblemCode, message: string, remedy: string): Issue {
  return { severity: 'error', code, path, at: 'value', message, remedy };
}

/** A warning at a path of a document. */
export function warningAt(path: Path, code: ProblemCode, message: string, remedy: string): Issue {
  return { ...errorAt(path, code, message, remedy), severity: 'warning' };
}

/** True if there is an error among problems, so that the definitions must not be applied. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** Sorts by file, line and column; by code units, so that the order is the same on every machine. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.path, b.path),
  );
}

/** One line for people: `team/people.yaml:12:9 error: spec.name is missing. Add name. [field_missing]`. */
export function formatProblem(problem: Problem): string {
  const { severity, code, file, line, column, message, remedy } = problem;
  const where = line === 0 ? file : `${file}:${line}:${column}`;
  return `${printable(where)} ${severity}: ${message}. ${remedy} [${code}]`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Escapes what a terminal or a review would act on or hide: control characters, marks that change the direction of writing,
 * invisible characters, halves of surrogate pairs. Anyone may have written the names and keys of a file.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/**
 * An issue that is found after the files were read, for example by comparing definitions. Its file is read again for the
 * position.
 */
export interface CrossIssue extends Issue {
  readonly source: Source;
}

/** Place by which a problem points at another definition: `team/people.yaml:12`. */
export function placeOf({ source }: Pick<Definition, 'source'>): string {
  return `${source.file}:${source.line}`;
}
