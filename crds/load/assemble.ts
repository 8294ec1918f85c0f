/** Checks all definitions together, once their files were read. */

import { grouped } from '../fields/fields.ts';
import type { Definition } from '../kinds/definition.ts';
import { createReferenceIndex, type ReferenceIndex } from '../references/reference-index.ts';
import { findContainmentIssues } from './contained-roles.ts';
import { decodeUtf8 } from './decode.ts';
import { findDuplicateDefinitions, findDuplicateObjects } from './duplicates.ts';
import { createExcerpts, type Excerpt } from './excerpt.ts';
import { attachFiles } from './external-files.ts';
import { isRegularFile, readBytes } from './files.ts';
import { findFiles } from './find-files.ts';
import { isForeignJson } from './foreign-json.ts';
import { limits } from './limits.ts';
import { DocumentTooLargeError, type ParsedDocument, parseDocuments } from './parse.ts';
import { positionOf } from './positions.ts';
import { type CrossIssue, fileProblem, hasErrors, type Problem, sortProblems, toProblem } from './problems.ts';
import { emptyReading, type IgnoredDocument, type Reading, readDefinitions } from './read-file.ts';
import type { FileText } from './read-text.ts';
import { findReferenceIssues } from './references.ts';
import { findUncheckedTls } from './unchecked-tls.ts';
import { findWorkspaceIssues } from './workspaces.ts';

export interface Loaded {
  /** The definitions without errors, in the order of the paths, files and documents. */
  readonly definitions: readonly Definition[];
  /** All errors and warnings, sorted by file and line. */
  readonly problems: readonly Problem[];
  /** Documents of other API groups, which are ignored. */
  readonly ignored: readonly IgnoredDocument[];
  /** The files that were read, as they were named or found. */
  readonly files: readonly string[];
  /** Resolves the references of these definitions. */
  readonly references: ReferenceIndex;
  /** Gives positions to issues that a front end has found in these definitions, by reading their files again. */
  readonly locate: (issues: readonly CrossIssue[]) => Problem[];
  /** Gives the line that a problem is about, by reading its file again; undefined where there is none to show. */
  readonly excerptOf: (problem: Problem) => Excerpt | undefined;
}

/** Files that are being read. */
export interface Collecting {
  readonly paths: readonly string[];
  readonly files: readonly string[];
  readonly reading: Reading;
  /** Texts that can be read only once, for positions that are looked up later. */
  readonly kept: Map<string, string>;
}

/** Everything that was read, with all issues but those of names that look alike. */
export interface Collected extends Omit<Collecting, 'reading' | 'kept'> {
  readonly reading: Reading;
  readonly definitions: readonly Definition[];
  readonly references: ReferenceIndex;
  readonly issues: readonly CrossIssue[];
  readonly locate: Loaded['locate'];
  readonly excerptOf: Loaded['excerptOf'];
}

/** Finds the files to read. */
export function beginCollecting(paths: readonly string[]): Collecting {
  const { files, problems } = findFiles(paths);
  const reading = emptyReading();
  reading.problems.push(...problems);
  reading.workspacesUncertain = hasErrors(problems);
  return { paths, files, reading, kept: new Map() };
}

/** Takes the text of one file, or the problem with which reading it failed. */
export function collect(
  { paths, reading, kept }: Collecting,
  file: string,
  read: FileText | { problem: Problem },
): void {
  if ('problem' in read) {
    reading.problems.push(read.problem);
    reading.workspacesUncertain = true;
    return;
  }
  // Who names a file means it, and is told what is wrong with it.
  if (!paths.includes(file) && isForeignJson(file, read.text)) {
    reading.ignored.push({ file, document: 0, line: 1, apiVersion: '', kind: '' });
    return;
  }
  if (!isRegularFile(file)) kept.set(file, read.text);
  readDefinitions(reading, file, read.text);
}

/** Runs the checks that need all collected definitions. */
export function endCollecting({ paths, files, reading, kept }: Collecting): Collected {
  const attached = reading.definitions.map((definition) => attachFiles(definition, reading.configMaps));
  const definitions = attached.map(({ definition }) => definition);
  const references = createReferenceIndex(definitions);
  const issues = [...attached.flatMap((document) => document.issues), ...crossIssues(reading, definitions, references)];
  const textOf = (file: string): string => kept.get(file) ?? rereadText(file);
  return {
    paths,
    files,
    reading,
    definitions,
    references,
    issues,
    locate: (problem) => locate(problem, textOf),
    excerptOf: createExcerpts(textOf),
  };
}

/** @param lookAlikes the issues of names that look alike */
export function assemble(collected: Collected, lookAlikes: readonly CrossIssue[]): Loaded {
  const { paths, files, reading, definitions, references } = collected;
  const issues = [...collected.issues, ...lookAlikes];
  const read = [...reading.problems, ...collected.locate(withinLimit(issues))];
  return {
    definitions: withoutErrors(definitions, issues),
    problems: [...sortProblems([...read, ...nothingDeclared(paths, definitions, read)]), ...tooMany(read)],
    ignored: reading.ignored,
    files,
    references,
    locate: collected.locate,
    excerptOf: collected.excerptOf,
  };
}

/** A problem for each path if all were read and declare nothing: people who name a path expect definitions there. */
function nothingDeclared(
  paths: readonly string[],
  definitions: readonly Definition[],
  problems: readonly Problem[],
): Problem[] {
  if (definitions.length > 0 || hasErrors(problems)) return [];
  const remedy = 'Name the folder that holds the definitions, or the files themselves.';
  return [...new Set(paths)].map((path) => fileProblem('nothing_declared', path, 'no definitions found', remedy));
}

/** All warnings, and as many errors as a run reports. */
function withinLimit(issues: readonly CrossIssue[]): CrossIssue[] {
  let errors = 0;
  return issues.filter(({ severity }) => severity === 'warning' || (errors += 1) <= limits.problems);
}

/** Says that there may be more errors than are shown. */
function tooMany(problems: readonly Problem[]): Problem[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const last = errors.at(-1);
  if (last === undefined || errors.length < limits.problems) return [];
  const message = `there are ${grouped(limits.problems)} errors or more, and what follows was not checked`;
  return [{ ...last, code: 'problems_many', path: '', message, remedy: 'Correct these, and check again.' }];
}

function crossIssues(reading: Reading, definitions: readonly Definition[], index: ReferenceIndex): CrossIssue[] {
  // If a Workspace is wrong, every definition that names it would be reported too, and none is at fault.
  const workspaces = reading.workspacesUncertain ? [] : findWorkspaceIssues(definitions);
  const unplaced = new Set(workspaces.map(({ source }) => source));
  const placed = definitions.filter(({ source }) => !unplaced.has(source));
  return [
    ...workspaces,
    ...findDuplicateDefinitions(definitions),
    ...findDuplicateObjects(placed, index),
    ...findReferenceIssues(placed, index, reading.broken),
    ...findContainmentIssues(placed, index),
    ...findUncheckedTls(definitions),
  ];
}

function withoutErrors(definitions: readonly Definition[], issues: readonly CrossIssue[]): Definition[] {
  const wrong = new Set(issues.filter(({ severity }) => severity === 'error').map(({ source }) => source));
  return definitions.filter(({ source }) => !wrong.has(source));
}

/** Reads a file again; an empty text if it is gone. */
function rereadText(file: string): string {
  try {
    const text = decodeUtf8(readBytes(file));
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}

/**
 * Turns issues into problems with positions.
 *
 * @param textOf reads a file again
 */
function locate(issues: readonly CrossIssue[], textOf: (file: string) => string): Problem[] {
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
  // The file has changed since it was read. The line of the definition is the best that is known.
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
