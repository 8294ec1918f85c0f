/** Terraform's values in memory. What a value's type is stands beside it, in a schema. */
import type { Type } from './type.ts';

/** A value that is not known before something is applied. */
export class Unknown {
  /** What Terraform knows of it all the same (not null, a prefix, …), as it came, to be sent back as it came. */
  readonly refinement: Uint8Array | undefined;
  constructor(refinement?: Uint8Array) {
    this.refinement = refinement;
  }
}

export const unknown: Unknown = new Unknown();

/** A number that no JavaScript number holds exactly, as its decimal text. */
export class Decimal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value of the type `dynamic`, with the type that it has. */
export class Dynamic {
  readonly type: Type;
  readonly value: Value;
  constructor(type: Type, value: Value) {
    this.type = type;
    this.value = value;
  }
}

export type Value =
  | null
  | string
  | boolean
  | number
  | bigint
  | Decimal
  | Unknown
  | Dynamic
  | readonly Value[]
  | ObjectValue;

/** An object or a map. */
export interface ObjectValue {
  readonly [name: string]: Value;
}

/** A place in a value: names of attributes, keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

export function isUnknown(value: Value | undefined): value is Unknown {
  return value instanceof Unknown;
}

export function isObject(value: Value | undefined): value is ObjectValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Unknown || value instanceof Decimal || value instanceof Dynamic)
  );
}

/** Whether a value and everything in it is known. */
export function isWhollyKnown(value: Value): boolean {
  if (isUnknown(value)) return false;
  if (value instanceof Dynamic) return isWhollyKnown(value.value);
  if (Array.isArray(value)) return value.every(isWhollyKnown);
  return !isObject(value) || Object.values(value).every(isWhollyKnown);
}

/** Whether two values of one type are the same. An unknown is only the same as an unknown; the order of a set is none. */
export function isSame(type: Type, one: Value, other: Value): boolean {
  if (isUnknown(one) || isUnknown(other)) return isUnknown(one) && isUnknown(other);
  if (one === null || other === null) return one === other;
  if (typeof type === 'string') return isSamePrimitive(one, other);
  if (type[0] === 'object') {
    return Object.entries(type[1]).every(([name, of]) => isSame(of, memberOf(one, name), memberOf(other, name)));
  }
  if (type[0] === 'map') return isSameMap(type[1], one, other);
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  const items: readonly Value[] = other;
  if (type[0] === 'tuple') return type[1].every((of, index) => isSame(of, one[index] as Value, items[index] ?? null));
  const [kind, of] = type;
  if (kind === 'list') return one.every((item: Value, index) => isSame(of, item, items[index] ?? null));
  return isWithin(of, one, items) && isWithin(of, items, one);
}

function isWithin(of: Type, some: readonly Value[], all: readonly Value[]): boolean {
  return some.every((item) => all.some((candidate) => isSame(of, item, candidate)));
}

function isSamePrimitive(one: Value, other: Value): boolean {
  if (one instanceof Dynamic && other instanceof Dynamic) {
    return JSON.stringify(one.type) === JSON.stringify(other.type) && isSame(one.type, one.value, other.value);
  }
  return (one instanceof Decimal ? one.text : one) === (other instanceof Decimal ? other.text : other);
}

function isSameMap(of: Type, one: Value, other: Value): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(of, memberOf(one, name), memberOf(other, name)));
}

function memberOf(value: Value, name: string): Value {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}
