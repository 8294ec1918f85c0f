/** What the YAML parser complains of, in plain words. */

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

/** Where no message is given, the parser's own is shown, without what it quotes of the file: that may be a secret. */
const wordings: Partial<Record<YAMLError['code'], Wording>> = {
  TAB_AS_INDENT: { code: 'yaml_tab', message: 'a tab is used as indentation', remedy: 'Indent with spaces.' },
  RESOURCE_EXHAUSTION: nesting,
  BAD_ALIAS: { code: 'yaml_alias', remedy: 'Quote the text, if no alias is meant.' },
  ALIAS_PROPS: { code: 'yaml_alias', remedy: 'Remove the anchor or tag before the alias.' },
  BAD_INDENT: {
    message: 'the line is not indented like those that it stands among',
    remedy: 'Indent what belongs together by the same number of spaces, and close every bracket.',
  },
  BAD_SCALAR_START: { remedy: 'Put the text in quotation marks.' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a second ": " stands in one line',
    remedy: 'Put a text that contains ": " in quotation marks, and write each field on a line of its own.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'the line has no field: a colon with a space after it is missing',
    remedy: 'Write each field as name, colon, space and value, on one line.',
  },
  MISSING_CHAR: { remedy: 'Add it where the text ends, which may be some lines away.' },
  UNEXPECTED_TOKEN: {
    message: 'the text does not continue in a way that YAML allows',
    remedy: 'Check quotation marks, brackets and indentation on this line and the one before.',
  },
  BAD_DQ_ESCAPE: { remedy: 'Write \\\\ for a backslash, or use single quotation marks.' },
  TAG_RESOLVE_FAILED: { remedy: 'Remove the tag (the word that begins with !), or quote the text.' },
  BAD_DIRECTIVE: { remedy: 'Remove the line that begins with %, or quote the text.' },
};

const fallback: Wording = { remedy: 'Correct the text at this position.' };

const writeOut = 'Write out what the aliases stand for.';

const faultWordings: Record<TreeFaultKind, Required<Wording>> = {
  'duplicate-key': {
    code: 'yaml_duplicate_key',
    message: 'the key stands twice in one mapping',
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
    message: 'an alias stands inside of what it stands for',
    remedy: 'Write out what is meant.',
  },
  'aliases-many': {
    code: 'yaml_alias',
    message: `a document has more than ${grouped(limits.aliases)} aliases, or ${grouped(limits.nestedAliases)} inside of what others stand for`,
    remedy: writeOut,
  },
  'merge-source': {
    code: 'yaml_merge',
    message: '<< merges what is no mapping',
    remedy: 'Merge a mapping, as in <<: *defaults, or quote the key, if no merge is meant.',
  },
  'merges-many': {
    code: 'yaml_merge',
    message: `merges copy more than ${grouped(limits.mergedFields)} fields`,
    remedy: 'Write out what they merge.',
  },
};

/** An error of the parser hides others behind it, and nobody reads the thousandth. */
const maxErrors = 1000;

/** The problems of a document's text. A document with none, or with duplicate keys only, can be checked further. */
export function yamlProblems({ document, lines, text }: ParsedDocument, file: string): Problem[] {
  // The parser takes an unknown tag for a warning and its value for text, which is not what somebody meant by it.
  const tags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const errors: YAMLError[] = [...document.errors, ...tags].slice(0, maxErrors);
  const exhausted = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) return [yamlProblem(exhausted, document, lines, file)];
  const perLine = new Map<number, Problem>();
  for (const error of errors) {
    const slip = mayBeSlip(error) ? slipNear(error, text, lines, file) : undefined;
    const problem = slip ?? yamlProblem(error, document, lines, file);
    // One slip often makes several errors in its line, and only the first is to the point.
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

/** The problem of a document that was not read to its end. */
export function tooLargeProblem({ offset }: DocumentTooLargeError, text: string, file: string): Problem {
  const line = text.slice(0, offset).split('\n').length;
  const message = `a document has more than ${grouped(limits.documentTokens)} words and marks by here, and what follows was not read`;
  const remedy = 'Separate the definitions with lines of ---, or split the file.';
  return { severity: 'error', code: 'document_too_large', file, line, column: 1, path: '', message, remedy };
}

/** Whether a problem leaves the rest of the document as it was meant. */
export function isReadable({ code }: Problem): boolean {
  return code === 'yaml_duplicate_key';
}

/** Errors after which the parser has lost its way, and takes what is right for wrong; and tabs, which come in numbers. */
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

function yamlProblem(error: YAMLError, document: Document.Parsed, lines: LineCounter, file: string): Problem {
  const { code = 'yaml_syntax', message = ownMessage(error.message), remedy } = wordings[error.code] ?? fallback;
  const offset = openQuote(error, document) ?? error.pos[0];
  const bracket = openBracket(error, document);
  if (bracket !== undefined) {
    const open = 'the bracket that opens here is not closed';
    const close = 'Close it, and indent what stands in it deeper than the field.';
    return { severity: 'error', code, file, ...linePosition(lines, bracket), path: '', message: open, remedy: close };
  }
  return { severity: 'error', code, file, ...linePosition(lines, offset), path: '', message, remedy };
}

/** An open quotation mark swallows the rest of the file, at whose end nobody would look for it. */
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

/** An open bracket is missed only where the parser meets what cannot stand in it. */
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

function ownMessage(message: string): string {
  if (message.endsWith('quote')) return 'the quotation mark that opens here is not closed';
  return message.replace(/: .*$/s, '').replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
}

/** The problem of a document whose aliases, or whose depth, kept it from becoming values. */
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
