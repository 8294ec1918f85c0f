import { decodeUtf8 } from '../values/utf8.ts';
import {
  type Entry,
  type Field,
  type Fields,
  type MessageOf,
  message,
  ProtobufError,
  string,
  tableOf,
  wire,
} from './fields.ts';

/** The deepest nesting of messages. Terraform's schemas nest a handful of levels. */
const maxDepth = 64;

/**
 * Reads a message. Fields that the table does not have are passed over, as the format asks, so that a newer Terraform
 * can say more than this provider knows.
 *
 * @throws ProtobufError when the bytes are no such message
 */
export function decode<F extends Fields>(fields: F, data: Uint8Array): MessageOf<F> {
  // The reader gives each field the type that the table says, which is what MessageOf says too.
  return readMessage(fields, data, 0) as MessageOf<F>;
}

interface Cursor {
  readonly data: Uint8Array;
  at: number;
}

function readMessage(fields: Fields, data: Uint8Array, depth: number): Record<string, unknown> {
  if (depth > maxDepth) throw new ProtobufError(`nests deeper than ${maxDepth} messages`);
  const table = tableOf(fields);
  const message = defaultsOf(table);
  const cursor: Cursor = { data, at: 0 };
  while (cursor.at < data.length) {
    const tag = readVarint(cursor);
    const entry = table.get(Math.floor(tag / 8));
    if (entry === undefined) skip(cursor, tag % 8);
    else readField(entry, tag % 8, cursor, message, depth);
  }
  return message;
}

function defaultsOf(table: ReadonlyMap<number, Entry>): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const { name, field } of table.values()) message[name] = defaultOf(field);
  return message;
}

const noBytes = new Uint8Array(0);

function defaultOf(field: Field): unknown {
  switch (field.kind) {
    case 'string':
      return '';
    case 'bytes':
      return noBytes;
    case 'bool':
      return false;
    case 'int':
      return field.presence === true ? undefined : 0;
    case 'messages':
      return [];
    case 'map':
      return Object.create(null);
    case 'message':
      return undefined;
  }
}

function readField(
  { name, field }: Entry,
  wireType: number,
  cursor: Cursor,
  target: Record<string, unknown>,
  depth: number,
) {
  const expected = field.kind === 'bool' || field.kind === 'int' ? wire.varint : wire.bytes;
  if (wireType !== expected)
    throw new ProtobufError(`the field ${name} has the wire type ${wireType}, not ${expected}`);
  switch (field.kind) {
    case 'string':
      target[name] = text(readBytes(cursor), name);
      break;
    case 'bytes':
      target[name] = readBytes(cursor);
      break;
    case 'bool':
      target[name] = readVarint(cursor) !== 0;
      break;
    case 'int':
      target[name] = readInt64(cursor);
      break;
    case 'message':
      target[name] = readMessage(field.fields(), readBytes(cursor), depth + 1);
      break;
    case 'messages':
      (target[name] as unknown[]).push(readMessage(field.fields(), readBytes(cursor), depth + 1));
      break;
    case 'map': {
      const entry = readMessage({ key: string(1), value: message(2, field.fields) }, readBytes(cursor), depth);
      (target[name] as Record<string, unknown>)[entry['key'] as string] =
        entry['value'] ?? defaultsOf(tableOf(field.fields()));
      break;
    }
  }
}

function text(data: Uint8Array, name: string): string {
  try {
    return decodeUtf8(data);
  } catch {
    throw new ProtobufError(`the field ${name} is not UTF-8`);
  }
}

function readBytes(cursor: Cursor): Uint8Array {
  const length = readVarint(cursor);
  if (length > cursor.data.length - cursor.at) throw new ProtobufError('ends in the middle of a field');
  const content = cursor.data.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return content;
}

/** A number of up to 53 bits; tags and lengths are far smaller, and are read without BigInt. */
function readVarint(cursor: Cursor): number {
  const { data } = cursor;
  let value = 0;
  let factor = 1;
  for (let at = cursor.at; at < cursor.at + 7; at += 1) {
    const byte = data[at];
    if (byte === undefined) throw new ProtobufError('ends in the middle of a number');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) {
      cursor.at = at + 1;
      return value;
    }
    factor *= 0x80;
  }
  const long = readVarint64(cursor);
  if (long > BigInt(Number.MAX_SAFE_INTEGER)) throw new ProtobufError('has a number beyond 2^53');
  return Number(long);
}

function readInt64(cursor: Cursor): number {
  const value = BigInt.asIntN(64, readVarint64(cursor));
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER)) {
    throw new ProtobufError('has a number beyond 2^53');
  }
  return Number(value);
}

function readVarint64(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = cursor.data[cursor.at];
    if (byte === undefined) throw new ProtobufError('ends in the middle of a number');
    cursor.at += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw new ProtobufError('has a number longer than ten bytes');
}

function skip(cursor: Cursor, type: number): void {
  if (type === wire.varint) readVarint64(cursor);
  else if (type === wire.bytes) readBytes(cursor);
  else if (type === wire.fixed64 || type === wire.fixed32) {
    cursor.at += type === wire.fixed64 ? 8 : 4;
    if (cursor.at > cursor.data.length) throw new ProtobufError('ends in the middle of a field');
  } else throw new ProtobufError(`has the unknown wire type ${type}`);
}
