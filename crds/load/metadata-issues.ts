/** Checks `metadata`. */

import { alternatives } from '../fields/exactly-one.ts';
import { isForeign, spelled } from '../fields/look-alike.ts';
import { bookkeeping, group, type Metadata, metadataSchema } from '../fields/metadata.ts';
import type { Issue } from '../issue.ts';
import { isMapping, mapping } from '../json.ts';
import {
  type AnnotationName,
  annotatedKinds,
  annotations,
  formerAnnotations,
  textAnnotations,
} from '../kinds/annotations.ts';
import type { KindName } from '../kinds/definition.ts';
import { type Path, valueAt } from '../path.ts';
import { errorAt, warningAt } from './problems.ts';
import { suggestion } from './suggest.ts';
import { fromZod } from './zod-issues.ts';

// Object.keys gives strings; these are the record's own keys.
const names = Object.keys(annotations) as AnnotationName[];

/** Checks metadata and drops what only Kubernetes keeps there. */
export function checkMetadata(
  kind: KindName,
  value: unknown,
  source: (path: readonly (string | number)[]) => string | undefined,
): { metadata?: Metadata; issues: Issue[] } {
  if (value === undefined || value === null) {
    return { issues: [errorAt(['metadata'], 'field_missing', 'is missing', 'Add metadata: { name: … }.')] };
  }
  const ownFields = withoutBookkeeping(value);
  const result = metadataSchema.safeParse(ownFields);
  const checked = { schema: metadataSchema, value: ownFields, base: ['metadata'], source };
  const issues = [
    ...(result.error?.issues ?? [])
      .flatMap((issue) => fromZod(issue, checked))
      .map((issue) => asNameIssue(issue, ownFields)),
    ...annotationIssues(kind, ownFields),
  ];
  return { ...(result.success ? { metadata: result.data } : {}), issues: withoutRepeats(issues) };
}

function withoutBookkeeping(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const dropped: readonly string[] = bookkeeping;
  // kubectl writes `annotations: null` and `labels: null` for none.
  const isKept = ([key, field]: [string, unknown]) =>
    !dropped.includes(key) && !(field === null && (key === 'annotations' || key === 'labels' || key === 'namespace'));
  const fields = Object.entries(value);
  return fields.every(isKept) ? value : Object.fromEntries(fields.filter(isKept));
}

function asNameIssue(issue: Issue, metadata: unknown): Issue {
  if (issue.code !== 'field_value' || issue.path[1] !== 'name') return issue;
  const name = valueAt(metadata, ['name']);
  if (typeof name !== 'string') return { ...issue, code: 'name_invalid' };
  const near = nearestName(name);
  const example = near === '' ? '' : ` For example: ${near}.`;
  // Some letters beyond ASCII look like ASCII letters, and no one would see what is wrong.
  const message = isForeign(name) ? issue.message.replace(/^is /, `is ${spelled(name)}, `) : issue.message;
  return { ...issue, code: 'name_invalid', message, remedy: `${issue.remedy}${example}` };
}

/** The name without the characters that Kubernetes refuses; undefined if that would drop letters of another script. */
function nearestName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (/[^\0-\x7f]/.test(plain.replace(/[^\p{L}]/gu, ''))) return '';
  return plain
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, 63)
    .replace(/-*\.[-.]*/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '');
}

function annotationIssues(kind: KindName, metadata: unknown): Issue[] {
  const written = mapping(mapping(metadata)['annotations']);
  return Object.entries(written).flatMap(([name, value]) => annotationIssue(kind, name, value) ?? []);
}

function annotationIssue(kind: KindName, name: string, value: unknown): Issue | undefined {
  if (!name.startsWith(`${group}/`) || Object.hasOwn(textAnnotations, name)) return undefined;
  const path = ['metadata', 'annotations', name];
  const whyFormer = formerAnnotations[name];
  if (whyFormer !== undefined) {
    const message = `has no effect any more: ${whyFormer}`;
    return { ...warningAt(path, 'annotation_without_effect', message, 'Remove it.'), at: 'key' };
  }
  const annotation = names.find((candidate) => candidate === name);
  if (annotation === undefined) {
    const remedy = suggestion(name, [...names, ...Object.keys(textAnnotations)], `annotations of ${group}`);
    return { ...errorAt(path, 'annotation_unknown', 'is not a known annotation', remedy), at: 'key' };
  }
  if (value === 'true' || value === 'false') return withoutEffect(kind, annotation, path);
  const remedy = typeof value === 'boolean' ? `Quote it: ${name}: "${value}".` : `Write ${name}: "true" or "false".`;
  return errorAt(path, 'annotation_value', 'must be the text "true" or "false"', remedy);
}

function withoutEffect(kind: KindName, annotation: AnnotationName, path: Path): Issue | undefined {
  const kinds = annotatedKinds[annotation];
  if (kinds.includes(kind)) return undefined;
  const message = `has no effect on a ${kind}, only on ${alternatives(kinds, 'and')}`;
  const remedy = 'Remove it, or put it on what is meant.';
  return { ...warningAt(path, 'annotation_without_effect', message, remedy), at: 'key' };
}

/** Both zod and this module report an annotation that is a boolean. This module's message says more. */
function withoutRepeats(issues: readonly Issue[]): Issue[] {
  const ours = new Set(issues.filter(({ code }) => code.startsWith('annotation_')).map(({ path }) => path.join('\0')));
  return issues.filter(({ code, path }) => code.startsWith('annotation_') || !ours.has(path.join('\0')));
}
