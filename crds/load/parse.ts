/** Text to documents, one at a time, so that only one tree is in memory. */

import { Composer, type Document, LineCounter, Parser } from 'yaml';

export interface ParsedDocument {
  /** From 0. */
  readonly index: number;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** YAML 1.2 whatever a %YAML directive says: under 1.1 an unquoted time would be a Date, and `no` would be false. */
const options = { schema: 'core', merge: true, logLevel: 'error' } as const;

/**
 * Parses the documents of a file, JSON included, which is YAML. Empty documents are counted and given like others.
 *
 * @param keepSourceTokens whether the nodes know the tokens that they were made of, which takes memory
 */
export function* parseDocuments(text: string, keepSourceTokens = false): Generator<ParsedDocument> {
  const lines = new LineCounter();
  const tokens = new Parser(lines.addNewLine).parse(text);
  let index = 0;
  for (const document of new Composer({ ...options, keepSourceTokens }).compose(tokens)) {
    yield { index, document, lines };
    index += 1;
  }
}

/** How many times aliases may be followed in one document, those inside of others multiplied. */
const maxAliasCount = 1000;

/** The document as plain values. Throws ReferenceError for bad aliases and RangeError for too deep nesting. */
export function toValue(document: Document): unknown {
  return document.toJS({ maxAliasCount });
}
