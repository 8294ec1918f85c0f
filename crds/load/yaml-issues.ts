/** Translates the YAML parser's errors. */

import { type Document, type LineCounter, visit, type YAMLError } from 'yaml';
import { grouped } from '../fields/fields.ts';
import { limits } from './limits.ts';
import type { DocumentTooLargeError, ParsedDocument } from './parse.ts';
import { linePosition } from './positions.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { Problem } from './problems.ts';
import { slipNear } from './text-mistakes.ts';
import { findTreeFaults, type TreeFaultKind } from './tree-faults.ts';

interface Wording {
  readonly code?: ProblemCode;
  readonly message?: string;
  readonly remedy: string;
}

const nesting: Wording = {
  code: 'yaml_nesting',
  message: 'the text is nested too deeply',
  remedy: 'Flatten the value, or remove it.',
};

/** Without a message, the parser's own is shown, but without its quotation of the file, which may contain a secret. */
const wordings: Partial<Record<YAMLError['code'], Wording>> = {
  TAB_AS_INDENT: { code: 'yaml_tab', message: 'a tab is used as indentation', remedy: 'Indent with spaces.' },
  RESOURCE_EXHAUSTION: nesting,
  BAD_ALIAS: { code: 'yaml_alias', remedy: 'Quote the text if you do not mean an alias.' },
  ALIAS_PROPS: { code: 'yaml_alias', remedy: 'Remove the anchor or tag before the alias.' },
  BAD_INDENT: {
    message: 'the line is not indented like the lines around it',
    remedy: 'Indent lines that belong together by the same number of spaces, and close every bracket.',
  },
  BAD_SCALAR_START: { remedy: 'Put the text in quotation marks.' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'the line has a second ": "',
    remedy: 'Put a text that contains ": " in quotation marks, and write each field on a line of its own.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'the line has no field: a colon with a space after it is missing',
    remedy: 'Write each field as name, colon, space and value, on one line.',
  },
  KEY_OVER_1024_CHARS: {
    message: 'the name of a field has more than 1,024 characters',
    remedy: 'Shorten it, or put a text that contains a colon in quotation marks.',
  },
  MISSING_CHAR: { remedy: 'Add it at the end of the text, which may be some lines away.' },
  UNEXPECTED_TOKEN: {
    message: 'the text does not continue in a way that YAML allows',
    remedy: 'Check quotation marks, brackets and indentation on this line and the one before.',
  },
  BAD_DQ_ESCAPE: { remedy: 'Write \\\\ for a backslash, or use single quotation marks.' },
  TAG_RESOLVE_FAILED: { remedy: 'Remove the tag (the word that begins with !), or quote the text.' },
  BAD_DIRECTIVE: { remedy: 'Remove the line that begins with %, or quote the text.' },
};

const fallback: Wording = { remedy: 'Correct the text at this position.' };

const writeOut = 'Replace the aliases by their values.';

const faultWordings: Record<TreeFaultKind, Required<Wording>> = {
  'duplicate-key': {
    code: 'yaml_duplicate_key',
    message: 'the mapping has this key twice',
    remedy: 'Remove one of the two.',
  },
  'separator-missing': {
    code: 'separator_missing',
    message: 'a second definition begins here, in the same document',
    remedy: 'Write a line of --- before it.',
  },
  'alias-unknown': {
    code: 'yaml_alias',
    message: 'an alias (the word after *) has no anchor before it in the same document',
    remedy: 'Define the anchor with & before it (a line of --- begins another document), or quote the text.',
  },
  'alias-circular': {
    code: 'yaml_alias',
    message: 'an alias is part of its own value',
    remedy: 'Replace it by the value that you mean.',
  },
  'aliases-many': {
    code: 'yaml_alias',
    message: `a document has more than ${grouped(limits.aliases)} aliases, or ${grouped(limits.nestedAliases)} inside the values of others`,
    remedy: writeOut,
  },
  'merge-source': {
    code: 'yaml_merge',
    message: '<< merges something that is not a mapping',
    remedy: 'Merge a mapping, as in <<: *defaults, or quote the key if you do not mean a merge.',
  },
  'merges-many': {
    code: 'yaml_merge',
    message: `merges copy more than ${grouped(limits.mergedFields)} fields`,
    remedy: 'Write out what they merge.',
  },
};

/** The most errors of one document: later ones often follow from the first. */
const maxErrors = 1000;

/** The problems of a document's text. If it has none, or only duplicate keys, it can be checked further. */
export function yamlProblems(parsed: ParsedDocument, file: string): Problem[] {
  const { document, lines, text } = parsed;
  // For the parser, an unknown tag is only a warning and its value is text, which is not what the author means.
  const tags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const errors: YAMLError[] = [...document.errors, ...tags].slice(0, maxErrors);
  const exhausted = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) return [yamlProblem(exhausted, parsed, file)];
  const perLine = new Map<number, Problem>();
  for (const error of errors) {
    const slip = mayBeSlip(error) ? slipNear(error, text, lines, file) : undefined;
    const problem = slip ?? yamlProblem(error, parsed, file);
    // One mistake often causes several errors on its line; only the first is useful.
    if (!perLine.has(problem.line)) perLine.set(problem.line, problem);
    if (misleading.has(error.code)) break;
  }
  if (perLine.size > 0) return [...perLine.values()];
  return findTreeFaults(document).map(({ kind, offset }) => ({
    severity: 'error',
    file,
    ...linePosition(lines, offset),
    path: '',
    ...faultWordings[kind],
  }));
}

/** The problem of a document that was too large to read. */
export function tooLargeProblem({ offset }: DocumentTooLargeError, text: string, file: string): Problem {
  const line = text.slice(0, offset).split('\n').length;
  const message = `a document has more than ${grouped(limits.documentTokens)} words and marks up to here; the rest was not read`;
  const remedy = 'Separate the definitions with lines of ---, or split the file.';
  return { severity: 'error', code: 'document_too_large', file, line, column: 1, path: '', message, remedy };
}

/** True if the rest of the document is still parsed correctly after a problem. */
export function isReadable({ code }: Problem): boolean {
  return code === 'yaml_duplicate_key';
}

/** Errors after which the parser reports correct text as wrong; and tabs, which come in large numbers. */
const misleading: ReadonlySet<YAMLError['code']> = new Set([
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MISSING_CHAR',
  'MULTILINE_IMPLICIT_KEY',
  'TAB_AS_INDENT',
  'UNEXPECTED_TOKEN',
]);

function mayBeSlip({ code }: YAMLError): boolean {
  return misleading.has(code) && code !== 'MISSING_CHAR' && code !== 'TAB_AS_INDENT';
}

function yamlProblem(error: YAMLError, { document, lines, text }: ParsedDocument, file: string): Problem {
  const { code = 'yaml_syntax', message = ownMessage(error.message), remedy } = wordings[error.code] ?? fallback;
  const offset = openQuote(error, document) ?? error.pos[0];
  if (error.code === 'UNEXPECTED_TOKEN' && text[offset] === '{') {
    return { severity: 'error', code, file, ...linePosition(lines, offset), path: '', ...secondObject };
  }
  const bracket = openBracket(error, document);
  if (bracket !== undefined) {
    const open = 'the bracket that opens here is not closed';
    const close = 'Close it, and indent its contents deeper than the field.';
    return { severity: 'error', code, file, ...linePosition(lines, bracket), path: '', message: open, remedy: close };
  }
  return { severity: 'error', code, file, ...linePosition(lines, offset), path: '', message, remedy };
}

/** An unclosed quotation mark swallows the rest of the file, and the parser reports it only at the end. */
function openQuote(error: YAMLError, document: Document.Parsed): number | undefined {
  if (error.code !== 'MISSING_CHAR' || !error.message.endsWith('quote')) return undefined;
  let offset: number | undefined;
  visit(document, {
    Scalar: (_key, { range, type }) => {
      const isOpen = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
      if (isOpen && range && range[0] <= error.pos[0] && error.pos[0] <= range[1]) [offset] = range;
    },
  });
  return offset;
}

/** The parser reports an unclosed bracket only where something follows that cannot be inside it. */
function openBracket(error: YAMLError, document: Document.Parsed): number | undefined {
  if (error.code !== 'BAD_INDENT' || !error.message.startsWith('Flow')) return undefined;
  let offset: number | undefined;
  visit(document, {
    Collection: (_key, { range, flow }) => {
      if (flow === true && range && range[0] <= error.pos[0] && error.pos[0] <= range[2]) [offset] = range;
    },
  });
  return offset;
}

/** JSON objects one after the other, as jq writes them. */
const secondObject = {
  message: 'a second object begins where the first has ended',
  remedy: 'Write a line of --- between the two, or put both into the items of a List (kind: List, apiVersion: v1).',
};

function ownMessage(message: string): string {
  if (message.endsWith('quote')) return 'the quotation mark that opens here is not closed';
  return message.replace(/: .*$/s, '').replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
}

/** The problem of a document whose aliases or depth cannot be turned into values. */
export function valueProblem(error: unknown, document: Document.Parsed, lines: LineCounter, file: string): Problem {
  const offset = document.contents?.range[0] ?? document.range[0];
  const here = { severity: 'error' as const, file, ...linePosition(lines, offset), path: '' };
  if (!(error instanceof ReferenceError)) {
    const { code = 'yaml_nesting', message = '', remedy } = nesting;
    return { ...here, code, message, remedy };
  }
  const message = `aliases of aliases expand to more than ${grouped(limits.aliases)} values`;
  return { ...here, code: 'yaml_alias', message, remedy: writeOut };
}
