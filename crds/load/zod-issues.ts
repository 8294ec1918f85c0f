/** Translates what zod found into the words of the person who wrote the YAML. */

import { z } from 'zod';
import type { Issue } from '../issue.ts';
import { type Path, valueAt } from '../path.ts';
import { type ProblemCode, problemCodes } from './problem-codes.ts';
import { errorAt } from './problems.ts';
import { descriptionAt, fieldsAt, schemaAt } from './schema-walk.ts';
import { nearest, suggestion } from './suggest.ts';

/** The part of a document that a schema checked. */
export interface Checked {
  readonly schema: z.ZodObject;
  /** The part's value, as it was read. */
  readonly value: unknown;
  /** Path of the part in its document. */
  readonly base: Path;
  /** The text of a scalar as it stands in the file, from the document. */
  readonly source: (path: Path) => string | undefined;
}

/** Translates one of zod's issues; one that names several unknown fields becomes several. */
export function fromZod(issue: z.core.$ZodIssue, checked: Checked): Issue[] {
  const inside = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const path = [...checked.base, ...inside];
  const value = valueAt(checked.value, inside);
  switch (issue.code) {
    case 'custom':
      return [errorAt(path, codeOf(issue.params?.['code']), issue.message, String(issue.params?.['remedy'] ?? ''))];
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(key, path, fieldsAt(checked.schema, inside)));
    case 'invalid_type':
      return [value === undefined ? missing(path, inside, checked) : wrongType(issue.expected, value, inside, checked)];
    case 'invalid_value':
      return [
        value === undefined ? missing(path, inside, checked) : wrongChoice(issue.values.map(String), value, path),
      ];
    case 'too_small':
    case 'too_big':
      return [outOfRange(issue, path)];
    case 'invalid_union':
      return [
        value === null
          ? noValue('text', path)
          : errorAt(path, 'field_type', issue.message, 'Write it as in 8h or 3600.'),
      ];
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'not_multiple_of':
      return [
        errorAt(path, 'field_value', 'has a value that is not allowed', 'Write a value as the documentation says.'),
      ];
  }
}

function codeOf(code: unknown): ProblemCode {
  return typeof code === 'string' && Object.hasOwn(problemCodes, code) ? (code as ProblemCode) : 'field_value';
}

/** The issue of a field that the schema does not know. */
export function unknownField(key: string, parent: Path, fields: readonly string[]): Issue {
  const path = [...parent, key];
  const issue = { severity: 'error', code: 'field_unknown', path, at: 'key', message: 'is not a known field' } as const;
  const word = key.replace(/^[-\s\u200b]+/u, '');
  const near = nearest(word, fields);
  const meant = near === undefined ? [] : [[...parent, near]];
  const slip = keySlip(key, word);
  if (slip !== undefined) return { ...issue, remedy: slip, meant };
  // A field that is indented too deep: its content is missing elsewhere.
  if (parent.join('.') === 'metadata' && key === 'spec') {
    return { ...issue, remedy: 'Write spec at the beginning of the line, as metadata is.', meant: [['spec']] };
  }
  return { ...issue, remedy: suggestion(key, fields, 'fields'), meant };
}

/** The remedy for a key that begins with characters that no name has. */
function keySlip(key: string, word: string): string | undefined {
  if (/^\/[/*]/.test(key)) return 'Remove the comment: only # begins one, and JSON has none.';
  if (key === word || word === '') return undefined;
  if (key.startsWith('-')) return `Write a space after the dash, as in "- ${word}"; or remove the dash.`;
  return 'Indent with plain spaces: the line begins with a blank that is none, as web pages and word processors have it.';
}

function missing(path: Path, inside: Path, { schema }: Checked): Issue {
  const description = descriptionAt(schema, inside);
  return errorAt(
    path,
    'field_missing',
    'is missing',
    `Add ${lastName(path)}.${description === undefined ? '' : ` ${description}`}`,
  );
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  number: 'a number',
  int: 'a whole number',
};

function wrongType(expected: string, value: unknown, inside: Path, { schema, base, source }: Checked): Issue {
  const path = [...base, ...inside];
  const noun = nouns[expected] ?? expected;
  if (value === null) return noValue(noun, path);
  const isPrivate = path.some((part) => part === 'passwordFrom' || part === 'credentialsFrom' || part === 'uri');
  const shown = isPrivate
    ? undefined
    : (source(path) ?? (typeof value === 'object' ? undefined : JSON.stringify(value)));
  const message = `must be ${noun}, but is ${describe(value, isPrivate ? undefined : shown)}`;
  const slip = typeof value === 'string' ? textSlip(expected, value) : undefined;
  if (slip !== undefined) return { ...errorAt(path, 'field_type', message, slip), meant: [path] };
  const quoted = expected === 'string' && shown !== undefined ? remedyFor(shown, schemaAt(schema, inside)) : undefined;
  return errorAt(path, 'field_type', message, quoted ?? typeRemedy(expected, value, shown, path));
}

/** Tells what a field expects in place of a text. Quotation marks around the text would only cause the next error. */
function remedyFor(text: string, schema: z.core.$ZodType | undefined): string | undefined {
  const refused = schema instanceof z.ZodType ? schema.safeParse(text).error?.issues[0] : undefined;
  const remedy: unknown = refused?.code === 'custom' ? refused.params?.['remedy'] : undefined;
  return typeof remedy === 'string' ? remedy : undefined;
}

/** YAML 1.1 reads these as booleans, and many programs still do. */
const booleanWords: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, y: true, on: true, '1': true },
  ...{ false: false, no: false, n: false, off: false, '0': false },
};

/** The remedy for a text where another type belongs. It does not repeat the text, which may be a secret. */
function textSlip(expected: string, value: string): string | undefined {
  const word = value.trim();
  if (expected === 'boolean') {
    const meant = Object.hasOwn(booleanWords, word.toLowerCase()) ? booleanWords[word.toLowerCase()] : undefined;
    if (meant === undefined) return undefined;
    if (String(meant) === word) return `Remove the quotation marks: write ${word}.`;
    return `Write ${meant}: in YAML 1.2, ${word} is text, and only true and false are not.`;
  }
  if (/^-[^\s-]/.test(word) && (expected === 'array' || /^-[A-Za-z_]+:/.test(word))) {
    return 'Write a space after each dash, as in "- ada".';
  }
  if (expected !== 'object' && expected !== 'record') return undefined;
  return /^[A-Za-z]\w*:\S/.test(word) ? 'Write a space after each colon, as in "name: ada".' : undefined;
}

function typeRemedy(expected: string, value: unknown, shown: string | undefined, path: Path): string {
  const last = path.at(-1);
  const name = typeof last === 'string' ? `${last}: ` : '';
  const isScalar = typeof value !== 'object';
  if (expected === 'string') {
    if (!isScalar) return `Write one text, as in ${name}text.`;
    return shown === undefined ? 'Put it in quotation marks.' : `Quote it: ${name}"${shown}".`;
  }
  if (expected === 'boolean') return 'Write true or false, without quotation marks.';
  if (expected === 'array') {
    const items = shown !== undefined && /^[\w@.-]{1,40}$/.test(shown) ? shown : 'one, two';
    return `Write a list, as in ${name}[${items}].`;
  }
  if (expected === 'object' || expected === 'record') {
    const dashes = Array.isArray(value) ? 'Remove the dashes: write' : 'Write';
    return `${dashes} its fields below it, indented, one a line.`;
  }
  return 'Write a whole number, without quotation marks.';
}

function describe(value: unknown, shown: string | undefined): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return `the boolean ${String(value)}`;
  if (typeof value !== 'number' && typeof value !== 'bigint') return 'a mapping';
  return shown === undefined ? 'a number' : `the number ${shown}`;
}

function noValue(noun: string, path: Path): Issue {
  const remedy =
    noun === 'a list' ? 'Write [] for an empty list, or remove the field.' : `Write ${noun}, or remove the field.`;
  return errorAt(path, 'field_type', 'has no value', remedy);
}

function wrongChoice(choices: readonly string[], value: unknown, path: Path): Issue {
  if (value === null) return noValue('text', path);
  const all = choices.join(', ');
  if (typeof value !== 'string') {
    return errorAt(
      path,
      'field_type',
      `must be one of ${all}, but is ${describe(value, undefined)}`,
      `Write one of ${all}.`,
    );
  }
  const near = nearest(value, choices);
  const remedy = near === undefined ? `Write one of ${all}.` : `Did you mean ${near}?`;
  return errorAt(path, 'field_value', `must be one of ${all}, but is ${JSON.stringify(value.slice(0, 80))}`, remedy);
}

function outOfRange(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, path: Path): Issue {
  const [bound, limit] =
    issue.code === 'too_small' ? (['at least', issue.minimum] as const) : (['at most', issue.maximum] as const);
  return errorAt(path, 'field_value', `must be ${bound} ${limit}`, `Write a number that is ${bound} ${limit}.`);
}

function lastName(path: Path): string {
  return path.findLast((part) => typeof part === 'string') ?? 'it';
}
