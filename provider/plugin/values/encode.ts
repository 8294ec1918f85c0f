import { ConformError } from './conform-error.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import type { Type } from './type.ts';
import { Decimal, Dynamic, isObject, isUnknown, type Path, type Value } from './value.ts';

/**
 * Writes a value of a type in MessagePack as Terraform reads it (go-cty's encoding). Nothing leaves the provider in
 * another way, so what does not fit the schema is found here, and not by Terraform.
 *
 * @throws ConformError when it is no value of that type
 */
export function encodeValue(type: Type, value: Value): Buffer {
  const writer = new MsgpackWriter();
  write(type, value, writer, []);
  return writer.finish();
}

function write(type: Type, value: Value, writer: MsgpackWriter, path: Path): void {
  // Values come from code and from JSON: what the compiler thinks impossible is looked for all the same.
  if ((value as unknown) === undefined) throw new ConformError(path, 'has no value');
  if (value === null) writer.nil();
  else if (isUnknown(value)) writer.raw(value.refinement ?? unknownExt);
  else if (typeof type === 'string') writePrimitive(type, value, writer, path);
  else if (type[0] === 'object' || type[0] === 'map') writeMembers(type, value, writer, path);
  else writeItems(type, value, writer, path);
}

/** fixext 1 of type 0; what it holds does not matter. */
const unknownExt = Uint8Array.of(0xd4, 0, 0);

function writePrimitive(type: Type & string, value: Value, writer: MsgpackWriter, path: Path): void {
  if (type === 'dynamic') {
    if (!(value instanceof Dynamic)) throw mismatch(path, 'value with a type', value);
    writer.array(2);
    writer.bytes(Buffer.from(JSON.stringify(value.type)));
    write(value.type, value.value, writer, path);
  } else if (type === 'string' && typeof value === 'string') {
    if (!value.isWellFormed()) throw new ConformError(path, 'has half of a surrogate pair');
    writer.string(value);
  } else if (type === 'bool' && typeof value === 'boolean') writer.bool(value);
  else if (type === 'number' && typeof value === 'number' && Number.isFinite(value)) writer.number(value);
  else if (type === 'number' && typeof value === 'bigint') writer.bigint(value);
  else if (type === 'number' && value instanceof Decimal) writer.string(value.text);
  else throw mismatch(path, type, value);
}

function writeMembers(
  type: readonly ['object', Readonly<Record<string, Type>>] | readonly ['list' | 'set' | 'map', Type],
  value: Value,
  writer: MsgpackWriter,
  path: Path,
): void {
  if (!isObject(value)) throw mismatch(path, type[0], value);
  const names = Object.keys(value);
  if (type[0] === 'object') {
    for (const name of names) {
      if (!Object.hasOwn(type[1], name)) throw new ConformError([...path, name], 'is no attribute of the schema');
    }
    for (const name of Object.keys(type[1])) {
      if (!Object.hasOwn(value, name)) throw new ConformError([...path, name], 'is missing');
    }
  }
  writer.map(names.length);
  for (const name of names) {
    writer.string(name);
    // Every name has been looked up above.
    const of = type[0] === 'object' ? (type[1][name] as Type) : type[1];
    write(of, value[name] as Value, writer, [...path, name]);
  }
}

function writeItems(
  type: readonly ['tuple', readonly Type[]] | readonly ['list' | 'set' | 'map', Type],
  value: Value,
  writer: MsgpackWriter,
  path: Path,
): void {
  if (!Array.isArray(value)) throw mismatch(path, type[0], value);
  const items: readonly Value[] = value;
  if (type[0] === 'tuple' && type[1].length !== items.length) {
    throw new ConformError(path, `must have ${type[1].length} elements`);
  }
  writer.array(items.length);
  for (const [index, item] of items.entries()) {
    const of = type[0] === 'tuple' ? (type[1][index] as Type) : type[1];
    write(of, item, writer, [...path, index]);
  }
}

function mismatch(path: Path, wanted: string, value: Value): ConformError {
  // The value itself may be a secret.
  const kind = Array.isArray(value) ? 'list' : value instanceof Dynamic ? 'dynamic value' : typeof value;
  return new ConformError(path, `must be a ${wanted}, and is a ${kind}`);
}
