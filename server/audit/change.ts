import { isDeepStrictEqual } from 'node:util';
import type { Change, Fields, FieldValue, ObjectKind } from './entry.ts';

/** An object as the trail shows it, without secrets. */
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

/** The fields of an object that differ, before and after; empty if none does. */
export function changed(before: Shown, after: Shown): Change[] {
  const names = Object.keys(after.fields).filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name]));
  if (names.length === 0) return [];
  const { fields: _all, ...object } = after;
  return [{ ...object, action: 'changed', before: pick(before.fields, names), after: pick(after.fields, names) }];
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name): [string, FieldValue] => [name, fields[name] ?? null]));
}
