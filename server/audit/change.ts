import { isDeepStrictEqual } from 'node:util';
import type { Change, Fields, FieldValue, ObjectKind } from './entry.ts';

/** An object as the trail shows it: nothing secret in it. */
export interface Shown {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name?: string;
  readonly fields: Fields;
}

export function created({ fields, ...object }: Shown): Change {
  return { ...object, action: 'created', after: fields };
}

export function deleted({ fields, ...object }: Shown): Change {
  return { ...object, action: 'deleted', before: fields };
}

/** What an object's fields were and are, those that differ; nothing where none does. */
export function changed(before: Shown, after: Shown): Change[] {
  const names = Object.keys(after.fields).filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name]));
  if (names.length === 0) return [];
  const { fields: _all, ...object } = after;
  return [{ ...object, action: 'changed', before: pick(before.fields, names), after: pick(after.fields, names) }];
}

/** Marks what happened to objects only because of a change to another. */
export function along(changes: readonly Change[]): Change[] {
  return changes.map((change) => ({ ...change, along: true }));
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name): [string, FieldValue] => [name, fields[name] ?? null]));
}
