/** One file's text to its definitions and its problems. */

import type { Definition, Source } from '../definition.ts';
import type { Path } from '../path.ts';
import { type ConfigMap, toConfigMap } from './config-maps.ts';
import { type ParsedDocument, parseDocuments, toValue } from './parse.ts';
import { positionOf, sourceOf } from './positions.ts';
import { type Problem, toProblem } from './problems.ts';
import { brokenName } from './references.ts';
import { type Checked, checkDocument } from './validate.ts';
import { isReadable, valueProblem, yamlProblems } from './yaml-issues.ts';

/** A document of another API group, which was passed over. */
export interface IgnoredDocument {
  readonly file: string;
  readonly document: number;
  readonly line: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}

/** What has been read so far, from all files. */
export interface Reading {
  readonly definitions: Definition[];
  readonly problems: Problem[];
  readonly ignored: IgnoredDocument[];
  readonly configMaps: ConfigMap[];
  /** Definitions that were wrong, as `brokenName` writes them. */
  readonly broken: Set<string>;
  /** Whether a Workspace was wrong, or might have been what could not be read. */
  workspacesUncertain: boolean;
}

export function emptyReading(): Reading {
  return { definitions: [], problems: [], ignored: [], configMaps: [], broken: new Set(), workspacesUncertain: false };
}

/** Reads the definitions of a text into `reading`. */
export function readDefinitions(reading: Reading, file: string, text: string): void {
  for (const parsed of parseDocuments(text)) readDocument(reading, file, parsed);
}

function readDocument(reading: Reading, file: string, parsed: ParsedDocument): void {
  const { document, lines } = parsed;
  const problems = yamlProblems(document, lines, file);
  reading.problems.push(...problems);
  if (!problems.every(isReadable)) {
    reading.workspacesUncertain = true;
    return;
  }
  let value: unknown;
  try {
    value = toValue(document);
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    reading.problems.push(valueProblem(error, document, lines, file));
    reading.workspacesUncertain = true;
    return;
  }
  // Two `---` in a row, or nothing but comments.
  if (value === null) return;
  readUnit(reading, file, parsed, value, []);
}

/** Reads a document, or an item of a list. */
function readUnit(reading: Reading, file: string, parsed: ParsedDocument, value: unknown, base: Path): void {
  const { document, lines, index } = parsed;
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
      const path = [...base, ...issue.path];
      reading.problems.push(toProblem({ ...issue, path }, file, positionOf(document, lines, path, issue.at)));
    }
  }
  // A key that stands twice has two values, and nobody knows which was meant.
  const isAmbiguous = document.errors.length > 0;
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
