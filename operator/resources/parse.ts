/** Custom resources as definitions, in the form that every front end brings to the engine. */

import { apiVersion, checkDocument, type Definition, formatPath, type ObjectDefinition } from '@rolecall/crds';
import type { CustomObject } from './custom-object.ts';

export type Parsed = { readonly definition: Definition } | { readonly problem: string };

const parsedObjects = new WeakMap<CustomObject, Parsed>();

/** Checks an object once, however often it is asked for; what the API server's schema cannot say is found here. */
export function parseObject(object: CustomObject): Parsed {
  const lastResult = parsedObjects.get(object);
  if (lastResult !== undefined) return lastResult;
  const parsed = parse(object);
  parsedObjects.set(object, parsed);
  return parsed;
}

/** Keeps the parsed definition for the next version of an object, which differs only in its status. */
export function carryParsed(before: CustomObject, after: CustomObject): void {
  const parsed = parsedObjects.get(before);
  if (parsed !== undefined) parsedObjects.set(after, parsed);
}

const readable = new WeakMap<CustomObject, Definition | undefined>();

/**
 * Reads what an object declares, as far as it can be read: if it is not valid, its last valid version counts; if there is none,
 * the object without its wrong annotations does. Returns undefined if its spec is wrong even then.
 */
export function lastReadable(object: CustomObject): Definition | undefined {
  const parsed = parseObject(object);
  if ('definition' in parsed) return parsed.definition;
  if (!readable.has(object)) readable.set(object, withoutWrongAnnotations(object));
  return readable.get(object);
}

/** Keeps the last readable definition for the next version of an object, which may not be readable. */
export function carryReadable(before: CustomObject, after: CustomObject): void {
  if (before.metadata.uid !== after.metadata.uid || 'definition' in parseObject(after)) return;
  const definition = lastReadable(before);
  if (definition !== undefined) readable.set(after, definition);
}

function withoutWrongAnnotations(object: CustomObject): Definition | undefined {
  const withOnly = (annotations: Readonly<Record<string, string>>): Parsed =>
    parse({ ...object, metadata: { ...object.metadata, annotations } });
  const all = Object.entries(object.metadata.annotations ?? {});
  const right = all.filter(([name, value]) => 'definition' in withOnly({ [name]: value }));
  const parsed = withOnly(Object.fromEntries(right));
  return 'definition' in parsed ? parsed.definition : undefined;
}

function parse({ kind, metadata, spec }: CustomObject): Parsed {
  const { name, namespace, annotations = {}, labels = {} } = metadata;
  const checked = checkDocument({
    apiVersion,
    kind,
    metadata: { name, namespace, annotations, labels },
    spec: spec ?? {},
  });
  if (checked.type === 'definition') return { definition: checked.definition };
  const issues = checked.type === 'invalid' ? checked.issues : [];
  const errors = issues.filter(({ severity }) => severity === 'error');
  return { problem: errors.map(({ path, message, remedy }) => `${formatPath(path)} ${message}. ${remedy}`).join(' ') };
}

/** An object with what it declares. */
export interface DeclaredObject {
  readonly object: CustomObject;
  readonly definition: ObjectDefinition;
  /** Why the object is not valid: then the definition is its last readable one, and what it declared is left as it is. */
  readonly problem?: string | undefined;
}
