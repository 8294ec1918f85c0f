/** Turns one file's text into definitions and problems. */

import type { Definition, Source } from '../kinds/definition.ts';
import type { Path } from '../path.ts';
import { type ConfigMap, toConfigMap } from './config-maps.ts';
import { limits } from './limits.ts';
import { DocumentTooLargeError, type ParsedDocument, parseDocuments, toValue } from './parse.ts';
import { positionOf, sourceOf } from './positions.ts';
import { type Problem, toProblem } from './problems.ts';
import { brokenName } from './references.ts';
import { commentProblem, conflictProblem } from './text-mistakes.ts';
import { type Checked, checkDocument } from './validate.ts';
import { isReadable, tooLargeProblem, valueProblem, yamlProblems } from './yaml-issues.ts';

/** A document of another API group, which was passed over. */
export interface IgnoredDocument {
  readonly file: string;
  readonly document: number;
  readonly line: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}

/** Everything read so far, from all files. */
export interface Reading {
  readonly definitions: Definition[];
  readonly problems: Problem[];
  /** Number of errors among the problems. */
  errors: number;
  readonly ignored: IgnoredDocument[];
  readonly configMaps: ConfigMap[];
  /** The names of wrong definitions, as `brokenName` writes them. */
  readonly broken: Set<string>;
  /** True if a Workspace was wrong, or may stand in a file that could not be read. */
  workspacesUncertain: boolean;
}

export function emptyReading(): Reading {
  return {
    definitions: [],
    problems: [],
    errors: 0,
    ignored: [],
    configMaps: [],
    broken: new Set(),
    workspacesUncertain: false,
  };
}

/** Reads the definitions of a text into `reading`, until there are too many problems. */
export function readDefinitions(reading: Reading, file: string, text: string): void {
  const mistake = conflictProblem(text, file) ?? commentProblem(text, file);
  if (mistake !== undefined) {
    report(reading, [mistake]);
    reading.workspacesUncertain = true;
    return;
  }
  try {
    for (const parsed of parseDocuments(text)) {
      if (isFull(reading)) return;
      readDocument(reading, file, parsed);
    }
  } catch (error) {
    if (!(error instanceof DocumentTooLargeError)) throw error;
    report(reading, [tooLargeProblem(error, text, file)]);
    reading.workspacesUncertain = true;
  }
}

/** True if there are so many errors that nothing more is read. */
export function isFull({ errors }: Reading): boolean {
  return errors >= limits.problems;
}

/** Keeps problems, and as many errors as there is room for. */
function report(reading: Reading, problems: Iterable<Problem>): void {
  for (const problem of problems) {
    if (isFull(reading)) return;
    reading.problems.push(problem);
    if (problem.severity === 'error') reading.errors += 1;
  }
}

function readDocument(reading: Reading, file: string, parsed: ParsedDocument): void {
  const { document, lines } = parsed;
  const problems = yamlProblems(parsed, file);
  report(reading, problems);
  if (!problems.every(isReadable)) {
    reading.workspacesUncertain = true;
    return;
  }
  let value: unknown;
  try {
    value = toValue(document);
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    report(reading, [valueProblem(error, document, lines, file)]);
    reading.workspacesUncertain = true;
    return;
  }
  // Two `---` in a row, or nothing but comments.
  if (value === null) return;
  // A key that appears twice has two values, and no one knows which one is meant.
  readUnit(reading, file, { ...parsed, isAmbiguous: problems.length > 0 }, value, []);
}

interface Unit extends ParsedDocument {
  readonly isAmbiguous: boolean;
}

/** Reads a document, or an item of a list. */
function readUnit(reading: Reading, file: string, parsed: Unit, value: unknown, base: Path): void {
  if (isFull(reading)) return;
  const { document, lines, index, isAmbiguous } = parsed;
  const [, item] = base;
  const { line } = positionOf(document, lines, base, 'value');
  const source: Source = { file, document: index, line, ...(typeof item === 'number' ? { item } : {}) };
  const checked = checkDocument(value, source, (path) => sourceOf(document, [...base, ...path]));
  if (checked.type === 'list') {
    for (const [position, inside] of checked.items.entries()) {
      readUnit(reading, file, parsed, inside, [...base, 'items', position]);
    }
    return;
  }
  if ('issues' in checked) {
    for (const issue of checked.issues) {
      // Before the position is looked up, which takes most of the time.
      if (isFull(reading)) break;
      const path = [...base, ...issue.path];
      report(reading, [toProblem({ ...issue, path }, file, positionOf(document, lines, path, issue.at))]);
    }
  }
  if (checked.type === 'definition' && isAmbiguous) {
    const { kind, metadata } = checked.definition;
    take(reading, { type: 'invalid', issues: [], kind, name: metadata.name }, source);
  } else take(reading, checked, source);
}

function take(reading: Reading, checked: Exclude<Checked, { type: 'list' }>, source: Source): void {
  switch (checked.type) {
    case 'definition':
      reading.definitions.push(checked.definition);
      return;
    case 'config-map': {
      const map = toConfigMap(checked.value);
      if (map !== undefined) reading.configMaps.push(map);
      return;
    }
    case 'foreign': {
      const { apiVersion, kind, name } = checked;
      const { file, document, line } = source;
      reading.ignored.push({ file, document, line, apiVersion, kind, ...(name === undefined ? {} : { name }) });
      return;
    }
    case 'invalid':
      if (checked.kind === undefined || checked.kind === 'Workspace') reading.workspacesUncertain = true;
      if (checked.kind !== undefined && checked.name !== undefined) {
        reading.broken.add(brokenName(checked.kind, checked.name));
      }
  }
}
