/** Checks one document by itself: what it is, its metadata and its spec. */

import { alternatives } from '../fields/exactly-one.ts';
import { metadataSchema } from '../fields/metadata.ts';
import type { Issue } from '../issue.ts';
import { isMapping, type Json, mapping } from '../json.ts';
import type { Definition, DefinitionOf, KindName, Source } from '../kinds/definition.ts';
import { kinds } from '../kinds/registry.ts';
import type { Path } from '../path.ts';
import { readEnvelope, topLevel } from './envelope.ts';
import { checkMetadata } from './metadata-issues.ts';
import { errorAt } from './problems.ts';
import { fieldsAt } from './schema-walk.ts';
import { fromZod, unknownField } from './zod-issues.ts';

/** Result of checking a document. `issues` has warnings only, except where it is invalid. */
export type Checked =
  | { readonly type: 'definition'; readonly definition: Definition; readonly issues: readonly Issue[] }
  | { readonly type: 'list'; readonly items: readonly unknown[] }
  | { readonly type: 'config-map'; readonly value: Json }
  | { readonly type: 'foreign'; readonly apiVersion: string; readonly kind: string; readonly name?: string }
  | { readonly type: 'invalid'; readonly issues: readonly Issue[]; readonly kind?: KindName; readonly name?: string };

const noSource: Source = { file: '', document: 0, line: 0 };

/**
 * Checks one document, given as plain values: from YAML, or an object of a Kubernetes cluster.
 *
 * @param value the document
 * @param source where it was read; goes into the definition
 * @param sourceText gives the text of a scalar as it was written, for remedies that quote it
 */
export function checkDocument(
  value: unknown,
  source: Source = noSource,
  sourceText: (path: Path) => string | undefined = () => undefined,
): Checked {
  if (!isMapping(value)) {
    const several = Array.isArray(value)
      ? 'put several into the items of a List (kind: List, apiVersion: v1), or '
      : '';
    const remedy = `Write a mapping with apiVersion, kind, metadata and spec; ${several}separate definitions with a line of ---.`;
    const what = Array.isArray(value) ? 'a list' : 'a single value';
    return { type: 'invalid', issues: [errorAt([], 'document_type', `is ${what}, but must be a mapping`, remedy)] };
  }
  const envelope = readEnvelope(value);
  switch (envelope.type) {
    case 'ours':
      return checkKind(envelope.kind, value, source, sourceText, envelope.issues);
    case 'config-map':
      return { type: 'config-map', value };
    case 'foreign':
      return { ...envelope, ...nameOf(value) };
    case 'list':
    case 'invalid':
      return envelope;
  }
}

function checkKind(
  kind: KindName,
  document: Json,
  source: Source,
  sourceText: (path: Path) => string | undefined,
  earlier: readonly Issue[],
): Checked {
  const { metadata, issues: metadataIssues } = checkMetadata(kind, document['metadata'], sourceText);
  // A kind without mandatory fields needs no spec, and an empty `spec:` is no spec.
  const written = document['spec'] ?? {};
  const parsed = kinds[kind].parse(written, metadata?.name ?? '');
  const checked = { schema: kinds[kind].schema, value: written, base: ['spec'], source: sourceText };
  const specIssues = 'issues' in parsed ? parsed.issues.flatMap((issue) => fromZod(issue, checked)) : [];
  const allIssues = [...earlier, ...topLevelIssues(kind, document), ...metadataIssues, ...specIssues];
  const issues = withoutConsequences(allIssues);
  if (metadata === undefined || 'issues' in parsed || issues.some(({ severity }) => severity === 'error')) {
    return { type: 'invalid', issues, kind, ...nameOf(document) };
  }
  // The registry pairs each kind with its own spec, which TypeScript cannot follow through a union.
  const definition = { kind, metadata, spec: parsed.spec, source } as DefinitionOf<KindName> as Definition;
  return { type: 'definition', definition, issues };
}

function topLevelIssues(kind: KindName, document: Json): Issue[] {
  const unknown = Object.keys(document).filter((key) => !topLevel.includes(key));
  if (unknown.length === 0) return [];
  const fields = { metadata: fieldsAt(metadataSchema, []), spec: fieldsAt(kinds[kind].schema, []) };
  const outside = { metadata: keysBelow(document, 'metadata', fields), spec: keysBelow(document, 'spec', fields) };
  const rest = unknown.filter((key) => !outside.metadata.includes(key) && !outside.spec.includes(key));
  return [
    ...notIndented('metadata', outside.metadata),
    ...notIndented('spec', outside.spec),
    ...rest.map((key) => {
      const issue = unknownField(key, [], topLevel);
      if (!fields.spec.includes(key)) return issue;
      return { ...issue, remedy: `Move ${key} into spec.`, meant: [['spec', key]] };
    }),
  ];
}

type Section = 'metadata' | 'spec';

/** The keys that follow an empty section and belong in it: the author forgot to indent them. */
function keysBelow(document: Json, section: Section, fields: Readonly<Record<Section, readonly string[]>>): string[] {
  if (document[section] !== null) return [];
  const keys = Object.keys(document);
  const below = keys.slice(keys.indexOf(section) + 1);
  const end = below.findIndex((key) => topLevel.includes(key));
  return below.slice(0, end === -1 ? undefined : end).filter((key) => fields[section].includes(key));
}

/** One mistake, over as many lines as it has. */
function notIndented(section: Section, keys: readonly string[]): Issue[] {
  const [first, ...others] = keys;
  if (first === undefined) return [];
  const also =
    others.length === 0 ? '' : `, and so ${others.length === 1 ? 'does' : 'do'} ${alternatives(others, 'and')}`;
  const message = `stands beside ${section} and not in it${also}`;
  const remedy = `Indent ${others.length === 0 ? 'it' : 'them'} by two spaces, below ${section}.`;
  const meant = keys.map((key) => [section, key]);
  return [{ severity: 'error', code: 'field_unknown', path: [first], at: 'key', message, remedy, meant }];
}

/** Leaves out missing fields that stand elsewhere or under another name: another problem says so already. */
function withoutConsequences(issues: readonly Issue[]): Issue[] {
  const meant = issues.flatMap((issue) => issue.meant ?? []);
  const isWithin = (inner: Path, outer: Path): boolean => outer.every((part, index) => inner[index] === part);
  return issues.filter(
    ({ code, path }) =>
      code !== 'field_missing' || !meant.some((place) => isWithin(path, place) || isWithin(place, path)),
  );
}

function nameOf(document: Json): { name?: string } {
  const { name } = mapping(document['metadata']);
  return typeof name === 'string' ? { name } : {};
}
