/** Custom resources as definitions, in the form that every front end brings to the engine. */

import { apiVersion, checkDocument, type Definition, formatPath } from '@rolecall/crds';
import type { CustomObject } from './custom-object.ts';

export type Parsed = { readonly definition: Definition } | { readonly problem: string };

const known = new WeakMap<CustomObject, Parsed>();

/** Checks an object once, however often it is asked for; what the API server's schema cannot say is found here. */
export function parseObject(object: CustomObject): Parsed {
  const before = known.get(object);
  if (before !== undefined) return before;
  const parsed = parse(object);
  known.set(object, parsed);
  return parsed;
}

/** Takes over what is known of an object to its next version, of which only the status is another. */
export function carryParsed(before: CustomObject, after: CustomObject): void {
  const parsed = known.get(before);
  if (parsed !== undefined) known.set(after, parsed);
}

function parse({ kind, metadata, spec }: CustomObject): Parsed {
  const { name, namespace, annotations = {} } = metadata;
  const checked = checkDocument({ apiVersion, kind, metadata: { name, namespace, annotations }, spec: spec ?? {} });
  if (checked.type === 'definition') return { definition: checked.definition };
  const issues = checked.type === 'invalid' ? checked.issues : [];
  const errors = issues.filter(({ severity }) => severity === 'error');
  return { problem: errors.map(({ path, message, remedy }) => `${formatPath(path)} ${message}. ${remedy}`).join(' ') };
}
