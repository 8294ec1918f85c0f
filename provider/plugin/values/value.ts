/** Terraform's values in memory. A schema beside a value holds its type. */
import type { Type } from './type.ts';

/** A value that is not known before something is applied. */
export class Unknown {
  /** Terraform's partial knowledge of the value (not null, a prefix, …). It is sent back as it came. */
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

/** True if a value and everything in it is known. */
export function isWhollyKnown(value: Value): boolean {
  if (isUnknown(value)) return false;
  if (value instanceof Dynamic) return isWhollyKnown(value.value);
  if (Array.isArray(value)) return value.every(isWhollyKnown);
  return !isObject(value) || Object.values(value).every(isWhollyKnown);
}

/** True if two values of one type are the same. An unknown equals only an unknown; the order of a set does not count. */
export function isSame(type: Type, value: Value, other: Value): boolean {
  if (isUnknown(value) || isUnknown(other)) return isUnknown(value) && isUnknown(other);
  if (value === null || other === null) return value === other;
  if (typeof type === 'string') return isSamePrimitive(value, other);
  if (type[0] === 'object') {
    return Object.entries(type[1]).every(([name, of]) => isSame(of, memberOf(value, name), memberOf(other, name)));
  }
  if (type[0] === 'map') return isSameMap(type[1], value, other);
  if (!Array.isArray(value) || !Array.isArray(other) || value.length !== other.length) return false;
  const items: readonly Value[] = other;
  if (type[0] === 'tuple') return type[1].every((of, index) => isSame(of, value[index] as Value, items[index] ?? null));
  const [kind, of] = type;
  if (kind === 'list') return value.every((item: Value, index) => isSame(of, item, items[index] ?? null));
  return isWithin(of, value, items) && isWithin(of, items, value);
}

function isWithin(of: Type, some: readonly Value[], all: readonly Value[]): boolean {
  return some.every((item) => all.some((candidate) => isSame(of, item, candidate)));
}

function isSamePrimitive(value: Value, other: Value): boolean {
  if (value instanceof Dynamic && other instanceof Dynamic) {
    return JSON.stringify(value.type) === JSON.stringify(other.type) && isSame(value.type, value.value, other.value);
  }
  return (value instanceof Decimal ? value.text : value) === (other instanceof Decimal ? other.text : other);
}

function isSameMap(of: Type, value: Value, other: Value): boolean {
  if (!isObject(value) || !isObject(other)) return false;
  const names = Object.keys(value);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(of, memberOf(value, name), memberOf(other, name)));
}

function memberOf(value: Value, name: string): Value {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}
