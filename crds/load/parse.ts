/** Text to documents, one at a time, so that only one tree is in memory. */

import { Composer, type CST, type Document, Lexer, LineCounter, Parser, Schema } from 'yaml';
import { limits } from './limits.ts';

export interface ParsedDocument {
  /** From 0. */
  readonly index: number;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** Of the whole file. */
  readonly text: string;
}

/**
 * YAML 1.2 whatever a %YAML directive says: under 1.1 an unquoted time would be a Date, and `no` would be false. All documents share it:
 * by its name, the parser would make one for each.
 */
const schema = new Schema({ schema: 'core', merge: true, resolveKnownTags: true });

/** The parser compares each key of a mapping with each other one; `findTreeFaults` does it in one go. */
const options = { schema, logLevel: 'error', uniqueKeys: false } as const;

/** A document has more tokens than anyone writes. The rest of its file has not been read. */
export class DocumentTooLargeError extends Error {
  override name = 'DocumentTooLargeError';
  readonly code = 'ERR_DOCUMENT_TOO_LARGE';
  /** Offset at which the last line that was read begins. */
  readonly offset: number;

  constructor(offset: number) {
    super('a document has too many tokens');
    this.offset = offset;
  }
}

/**
 * Parses the documents of a file, JSON included, which is YAML. Empty documents are counted and given like others.
 *
 * @param keepSourceTokens whether the nodes know the tokens that they were made of, which takes memory
 * @throws DocumentTooLargeError
 */
export function* parseDocuments(text: string, keepSourceTokens = false): Generator<ParsedDocument> {
  const lines = new LineCounter();
  let index = 0;
  for (const document of new Composer({ ...options, keepSourceTokens }).compose(tokensOf(text, lines))) {
    yield { index, document, lines, text };
    index += 1;
  }
}

/** Gives the tokens of the documents, each a tree: the parser holds one until its end, and its memory grows with it. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > limits.documentTokens) throw new DocumentTooLargeError(lines.lineStarts.at(-1) ?? 0);
    for (const token of parser.next(lexeme)) {
      // It is given once it is whole, and its memory is free from then on.
      if (token.type === 'document') count = 0;
      yield token;
    }
  }
  yield* parser.end();
}

/** The document as plain values. Throws ReferenceError for bad aliases and RangeError for too deep nesting. */
export function toValue(document: Document): unknown {
  return document.toJS({ maxAliasCount: limits.aliases });
}
