/** Tells by apiVersion and kind what a document is, before its fields are checked. */

import leven from 'leven';
import { alternatives } from '../fields/exactly-one.ts';
import { apiVersion, group } from '../fields/metadata.ts';
import type { Issue } from '../issue.ts';
import type { Json } from '../json.ts';
import type { KindName } from '../kinds/definition.ts';
import { isKindName, kindNames } from '../kinds/registry.ts';
import { errorAt, warningAt } from './problems.ts';
import { nearest } from './suggest.ts';

export type Envelope =
  | { readonly type: 'ours'; readonly kind: KindName; readonly issues: readonly Issue[] }
  | { readonly type: 'list'; readonly items: readonly unknown[] }
  | { readonly type: 'config-map' }
  | { readonly type: 'foreign'; readonly apiVersion: string; readonly kind: string }
  | { readonly type: 'invalid'; readonly issues: readonly Issue[] };

/** The fields of a definition. */
export const topLevel: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

const kindList = alternatives(kindNames, 'or');

/** Tells what a mapping is. Documents of other API groups are foreign, near misses of ours are invalid. */
export function readEnvelope(document: Json): Envelope {
  const { items } = document;
  const written = fieldOf(document, 'apiVersion');
  const kind = fieldOf(document, 'kind');
  if (written !== undefined && typeof written !== 'string') {
    const remedy = `Write apiVersion: ${apiVersion}.`;
    return { type: 'invalid', issues: [errorAt(['apiVersion'], 'api_version', 'must be text', remedy)] };
  }
  if (kind !== undefined && typeof kind !== 'string') {
    return { type: 'invalid', issues: [errorAt(['kind'], 'kind_unknown', 'must be text', `Write ${kindList}.`)] };
  }
  if (written !== undefined && !isMeantForUs(written, kind)) return foreign(written, kind, items);
  if (kind?.endsWith('List') === true && Array.isArray(items)) return { type: 'list', items };
  return ours(written, kind);
}

/** The value of a field, or of a misspelt field whose value shows that the document is one of ours. */
function fieldOf(document: Json, field: 'apiVersion' | 'kind'): unknown {
  if (document[field] !== undefined) return document[field];
  const [, value] = Object.entries(document).find(([key]) => nearest(key, topLevel) === field) ?? [];
  if (typeof value !== 'string') return undefined;
  return (field === 'kind' ? kindLike(value) : value === apiVersion) ? value : undefined;
}

/** True if a mapping is an object of Kubernetes, or an attempt at one: by its apiVersion, a kind like ours, or its two parts. */
export function isObjectLike(document: Json): boolean {
  const [written, kind] = [fieldOf(document, 'apiVersion'), fieldOf(document, 'kind')];
  if (typeof written === 'string' || ('metadata' in document && 'spec' in document)) return true;
  return typeof kind === 'string' && (kind === 'List' || nearest(kind, kindNames) !== undefined);
}

/** The kind that a text names in any case of its letters. */
function kindLike(text: string | undefined): KindName | undefined {
  if (isKindName(text)) return text;
  return kindNames.find((name) => name.toLowerCase() === text?.toLowerCase());
}

function foreign(written: string, kind: string | undefined, items: unknown): Envelope {
  if (written === 'v1' && kind === 'List' && Array.isArray(items)) return { type: 'list', items };
  if (written === 'v1' && kind === 'ConfigMap') return { type: 'config-map' };
  return { type: 'foreign', apiVersion: written, kind: kind ?? '' };
}

function ours(written: string | undefined, kind: string | undefined): Envelope {
  // If the kind is missing too, its remedy names both.
  const isBare = written === undefined && kind === undefined;
  const issues = [...(isBare ? [] : versionIssues(written)), ...kindIssues(written, kind)];
  // The rest is checked even if the apiVersion is wrong or the kind is in the wrong case.
  const meant = kindLike(kind);
  return meant === undefined ? { type: 'invalid', issues } : { type: 'ours', kind: meant, issues };
}

function versionIssues(written: string | undefined): Issue[] {
  const remedy = `Write apiVersion: ${apiVersion}.`;
  if (written === undefined) {
    const message = 'has no apiVersion, which kubectl needs';
    return [warningAt([], 'api_version_missing', message, `Add apiVersion: ${apiVersion}.`)];
  }
  if (written === apiVersion) return [];
  return [errorAt(['apiVersion'], 'api_version', `is ${JSON.stringify(written)}, but must be ${apiVersion}`, remedy)];
}

function kindIssues(written: string | undefined, kind: string | undefined): Issue[] {
  if (kind === undefined) {
    const remedy =
      written === undefined
        ? `Add apiVersion: ${apiVersion} and kind: ${kindList}; or leave this file out, if it is not for Rolecall.`
        : `Add kind: ${kindList}.`;
    return [errorAt([], 'kind_missing', 'has no kind', remedy)];
  }
  if (isKindName(kind)) return [];
  const near = nearest(kind, kindNames);
  const remedy = near === undefined ? `Write one of ${kindNames.join(', ')}.` : `Did you mean ${near}?`;
  return [errorAt(['kind'], 'kind_unknown', `is ${JSON.stringify(kind)}, which is no kind of ${group}`, remedy)];
}

/**
 * True if a document is meant for Rolecall. Other groups have kinds of the same names (`Role` of RBAC), so a kind alone
 * does not tell. A group that is off by a letter or two does, and so does one of our kinds without a group.
 */
function isMeantForUs(written: string, kind: string | undefined): boolean {
  const slash = written.indexOf('/');
  if (slash === -1) return kindLike(kind) !== undefined || isNearGroup(written);
  return isNearGroup(written.slice(0, slash));
}

function isNearGroup(text: string): boolean {
  const lower = text.toLowerCase();
  return lower.includes('rolecall') || leven(lower, group, { maxDistance: 3 }) <= 2;
}
