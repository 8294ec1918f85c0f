import { ConformError } from './conform-error.ts';
import { MsgpackReader } from './msgpack-reader.ts';
import { parseType, type Type } from './type.ts';
import { Decimal, Dynamic, type Path, Unknown, unknown, type Value } from './value.ts';

/** The deepest nesting of values. MessagePack itself sets no bound. */
const maxDepth = 100;

/**
 * Reads a value of a type from MessagePack as Terraform writes it (go-cty's encoding).
 *
 * @throws ConformError when the bytes are not a value of that type
 */
export function decodeValue(type: Type, data: Uint8Array): Value {
  const reader = new MsgpackReader(data);
  const value = read(type, reader, [], 0);
  if (!reader.atEnd()) throw new ConformError([], 'has bytes after its end');
  return value;
}

function read(type: Type, reader: MsgpackReader, path: Path, depth: number): Value {
  if (depth > maxDepth) throw new ConformError(path, `nests deeper than ${maxDepth} levels`);
  const token = reader.next(path);
  if (token.kind === 'nil') return null;
  if (token.kind === 'ext') return token.type === 0 ? unknown : new Unknown(token.raw);
  if (typeof type === 'string') return readPrimitive(type, token, reader, path, depth);
  const [kind] = type;
  if (kind === 'object' || kind === 'map') {
    if (token.kind !== 'map') throw mismatch(path, kind, token.kind);
    return readMembers(type, token.size, reader, path, depth);
  }
  if (token.kind !== 'array') throw mismatch(path, kind, token.kind);
  if (kind === 'tuple') {
    if (token.size !== type[1].length) throw new ConformError(path, `must have ${type[1].length} elements`);
    return type[1].map((of, index) => read(of, reader, [...path, index], depth + 1));
  }
  const items: Value[] = [];
  for (let index = 0; index < token.size; index += 1) items.push(read(type[1], reader, [...path, index], depth + 1));
  return items;
}

type Token = ReturnType<MsgpackReader['next']>;

function readPrimitive(type: Type & string, token: Token, reader: MsgpackReader, path: Path, depth: number): Value {
  if (type === 'dynamic') {
    if (token.kind !== 'array' || token.size !== 2) throw mismatch(path, 'pair of type and value', token.kind);
    const encoded = reader.next(path);
    if (encoded.kind !== 'bytes') throw mismatch(path, 'type', encoded.kind);
    const of = readType(encoded.value, path);
    return new Dynamic(of, read(of, reader, path, depth + 1));
  }
  if (type === 'string' && token.kind === 'string') return token.value;
  if (type === 'bool' && token.kind === 'bool') return token.value;
  if (type === 'number' && token.kind === 'number') return token.value;
  // Numbers that fit no integer or float of MessagePack come as their decimal text.
  if (type === 'number' && token.kind === 'string' && decimalPattern.test(token.value)) return fromDecimal(token.value);
  throw mismatch(path, type, token.kind);
}

const decimalPattern = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function fromDecimal(text: string): Value {
  return /^-?\d+$/.test(text) ? BigInt(text) : new Decimal(text);
}

function readType(data: Uint8Array, path: Path): Type {
  try {
    return parseType(JSON.parse(Buffer.from(data).toString('utf8')));
  } catch {
    throw new ConformError(path, 'has a type that cannot be read');
  }
}

function readMembers(
  type: readonly ['object', Readonly<Record<string, Type>>] | readonly ['list' | 'set' | 'map', Type],
  size: number,
  reader: MsgpackReader,
  path: Path,
  depth: number,
): Value {
  // The names of an object are mostly those of the schema; those of a map can be any text.
  const members = (type[0] === 'object' ? {} : Object.create(null)) as Record<string, Value>;
  for (let index = 0; index < size; index += 1) {
    const key = reader.next(path);
    if (key.kind !== 'string') throw mismatch(path, 'name', key.kind);
    const of = type[0] === 'object' ? attributeType(type[1], key.value) : type[1];
    if (of === undefined) throw new ConformError([...path, key.value], 'is no attribute of the schema');
    setMember(members, key.value, read(of, reader, [...path, key.value], depth + 1));
  }
  if (type[0] === 'object') {
    for (const name of Object.keys(type[1])) {
      if (!Object.hasOwn(members, name)) throw new ConformError([...path, name], 'is missing');
    }
  }
  return members;
}

/** An object that comes with its type can have any attributes: this name would set the prototype, and be lost. */
function setMember(members: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

function attributeType(types: Readonly<Record<string, Type>>, name: string): Type | undefined {
  return Object.hasOwn(types, name) ? types[name] : undefined;
}

function mismatch(path: Path, wanted: string, kind: string): ConformError {
  return new ConformError(path, `must be a ${wanted}, and is a ${kind}`);
}
