/** Gives issues that were found across documents their positions, by reading the files concerned once more. */

import type { CrossIssue } from './cross-issue.ts';
import { DocumentTooLargeError, type ParsedDocument, parseDocuments } from './parse.ts';
import { positionOf } from './positions.ts';
import { type Problem, toProblem } from './problems.ts';

/**
 * Turns issues into problems with positions.
 *
 * @param textOf gives the text of a file again; it may throw when the file has gone in the meantime
 */
export function locate(issues: readonly CrossIssue[], textOf: (file: string) => string): Problem[] {
  const byFile = Map.groupBy(issues, ({ source }) => source.file);
  return [...byFile].flatMap(([file, inFile]) => locateInFile(file, inFile, textOf));
}

function locateInFile(file: string, issues: readonly CrossIssue[], textOf: (file: string) => string): Problem[] {
  const problems: Problem[] = [];
  const byDocument = Map.groupBy(issues, ({ source }) => source.document);
  for (const { index, document, lines } of readableDocuments(textOf(file))) {
    for (const issue of byDocument.get(index) ?? []) {
      const { item } = issue.source;
      const path = item === undefined ? issue.path : ['items', item, ...issue.path];
      problems.push(toProblem({ ...issue, path }, file, positionOf(document, lines, path, issue.at)));
    }
    byDocument.delete(index);
    if (byDocument.size === 0) break;
  }
  // The file has changed since it was read; the line of the definition is the best that is known.
  const rest = [...byDocument.values()].flat();
  return [...problems, ...rest.map((issue) => toProblem(issue, file, { line: issue.source.line, column: 1 }))];
}

/** The documents up to one that has become too large since the file was read. */
function* readableDocuments(text: string): Generator<ParsedDocument> {
  try {
    yield* parseDocuments(text);
  } catch (error) {
    if (!(error instanceof DocumentTooLargeError)) throw error;
  }
}
