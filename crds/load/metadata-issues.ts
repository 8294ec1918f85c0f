/** What can be wrong with `metadata`. */

import type { Issue } from '../issue.ts';
import { isMapping, mapping } from '../json.ts';
import { annotations, bookkeeping, group, type Metadata, metadataSchema } from '../metadata.ts';
import { valueAt } from '../path.ts';
import { errorAt } from './problems.ts';
import { suggestion } from './suggest.ts';
import { fromZod } from './zod-issues.ts';

const known = Object.keys(annotations);

/** Checks metadata and drops what only Kubernetes keeps there. */
export function checkMetadata(
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
    ...annotationIssues(ownFields),
  ];
  return { ...(result.success ? { metadata: result.data } : {}), issues: withoutRepeats(issues) };
}

function withoutBookkeeping(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const dropped: readonly string[] = bookkeeping;
  // kubectl writes `annotations: null` and `labels: null` for none.
  const isKept = ([key, field]: [string, unknown]) =>
    !dropped.includes(key) && !(field === null && (key === 'annotations' || key === 'labels' || key === 'namespace'));
  return Object.fromEntries(Object.entries(value).filter(isKept));
}

function asNameIssue(issue: Issue, metadata: unknown): Issue {
  if (issue.code !== 'field_value' || issue.path[1] !== 'name') return issue;
  const name = valueAt(metadata, ['name']);
  const near = typeof name === 'string' ? nearestName(name) : '';
  const example = near === '' ? '' : ` For example: ${near}.`;
  return { ...issue, code: 'name_invalid', remedy: `${issue.remedy}${example}` };
}

/** The name without what Kubernetes does not allow. */
function nearestName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, 63)
    .replace(/-*\.[-.]*/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '');
}

function annotationIssues(metadata: unknown): Issue[] {
  const written = mapping(mapping(metadata)['annotations']);
  return Object.entries(written).flatMap(([name, value]) => annotationIssue(name, value) ?? []);
}

function annotationIssue(name: string, value: unknown): Issue | undefined {
  if (!name.startsWith(`${group}/`)) return undefined;
  const path = ['metadata', 'annotations', name];
  if (!known.includes(name)) {
    const remedy = suggestion(name, known, `annotations of ${group}`);
    return {
      severity: 'error',
      code: 'annotation_unknown',
      path,
      at: 'key',
      message: 'is not a known annotation',
      remedy,
    };
  }
  if (value === 'true' || value === 'false') return undefined;
  const remedy = typeof value === 'boolean' ? `Quote it: ${name}: "${value}".` : `Write ${name}: "true" or "false".`;
  return errorAt(path, 'annotation_value', 'must be the text "true" or "false"', remedy);
}

/** An annotation that is a boolean is wrong for zod and for us; ours says more. */
function withoutRepeats(issues: readonly Issue[]): Issue[] {
  const ours = new Set(issues.filter(({ code }) => code.startsWith('annotation_')).map(({ path }) => path.join('\0')));
  return issues.filter(({ code, path }) => code.startsWith('annotation_') || !ours.has(path.join('\0')));
}
