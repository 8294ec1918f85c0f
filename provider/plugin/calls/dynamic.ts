import { identityOf } from '../framework/identity.ts';
import type { Private, Resource } from '../framework/resource.ts';
import { type Gathered, mistake, type Session } from '../framework/session.ts';
import { ConformError } from '../values/conform-error.ts';
import { decodeValue } from '../values/decode.ts';
import { encodeValue } from '../values/encode.ts';
import type { Type } from '../values/type.ts';
import { isObject, isUnknown, type ObjectValue, type Value } from '../values/value.ts';

/** A value as messages carry it. */
export interface DynamicMessage {
  readonly msgpack: Uint8Array;
  readonly json: Uint8Array;
}

/**
 * Reads an object that Terraform sent.
 *
 * @throws ConformError when it is no object of that type
 */
export function readObject(type: Type, message: DynamicMessage | undefined): ObjectValue | null {
  if (message === undefined || message.msgpack.length === 0) return null;
  const value = decodeValue(type, message.msgpack);
  if (value === null) return null;
  if (!isObject(value)) throw new ConformError([], 'must be an object');
  return value;
}

/** Reads an object that Terraform always sends. */
export function readConfig(type: Type, message: DynamicMessage | undefined): ObjectValue {
  const value = readObject(type, message);
  if (value === null) throw new ConformError([], 'must not be null');
  return value;
}

export function writeObject(type: Type, value: Value): { msgpack: Uint8Array } {
  return { msgpack: encodeValue(type, value) };
}

/**
 * Writes the state of an object that exists. A mistake of the provider's must not lose it: what does not fit the schema
 * is left out and reported, so that the object stays in Terraform's state.
 */
export function writeState(
  type: Type,
  state: ObjectValue | null,
  gathered: Gathered,
  what: string,
): { msgpack: Uint8Array } {
  if (state === null) return writeObject(type, null);
  try {
    if (Object.values(state).some(isUnknown)) throw new ConformError([], 'has unknown values after the apply');
    return writeObject(type, state);
  } catch (error) {
    gathered.report(mistake(what, error instanceof Error ? error.message : String(error)));
    return writeObject(type, salvage(type, state));
  }
}

function salvage(type: Type, state: ObjectValue): Value {
  if (typeof type === 'string' || type[0] !== 'object') return null;
  return Object.fromEntries(
    Object.entries(type[1]).map(([name, of]) => {
      const value = state[name];
      return [name, value === undefined || isUnknown(value) || !fits(of, value) ? null : value];
    }),
  );
}

function fits(type: Type, value: Value): boolean {
  try {
    encodeValue(type, value);
    return true;
  } catch {
    return false;
  }
}

/** The identity of an object as messages carry it; undefined while it is not known. */
export function writeIdentity<W>({ types }: Session<W>, resource: Resource<W>, object: ObjectValue | null) {
  const type = types.get(`identity.${resource.type}`);
  const identity = object === null ? undefined : identityOf(resource, object);
  if (type === undefined || identity === undefined) return undefined;
  return { identityData: writeObject(type, identity) };
}

/** Reads the memory of a resource, as Terraform kept it. An unreadable one counts as empty. */
export function readPrivate(data: Uint8Array): Private {
  if (data.length === 0) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string'));
  } catch {
    return {};
  }
}

export function writePrivate(value: Private | undefined): Uint8Array {
  return value === undefined || Object.keys(value).length === 0
    ? new Uint8Array(0)
    : Buffer.from(JSON.stringify(value));
}
