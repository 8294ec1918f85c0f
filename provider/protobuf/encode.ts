import { type Fields, type MessageInput, ProtobufError, tableOf, wire } from './fields.ts';

/**
 * Writes a message.
 *
 * @throws ProtobufError when a number is not a safe integer
 */
export function encode<F extends Fields>(fields: F, value: MessageInput<F>): Buffer {
  const parts: Uint8Array[] = [];
  writeFields(fields, value, parts);
  return Buffer.concat(parts);
}

function writeFields(fields: Fields, value: Readonly<Record<string, unknown>>, parts: Uint8Array[]): void {
  for (const { name, number, field } of tableOf(fields).values()) {
    const content = value[name];
    if (content === undefined) continue;
    switch (field.kind) {
      case 'string':
        if (content !== '') writeBytes(number, Buffer.from(content as string), parts);
        break;
      case 'bytes':
        if ((content as Uint8Array).length > 0) writeBytes(number, content as Uint8Array, parts);
        break;
      case 'bool':
        if (content === true) parts.push(varint(number * 8 + wire.varint), varint(1));
        break;
      case 'int':
        if (content !== 0 || field.presence === true)
          parts.push(varint(number * 8 + wire.varint), int64(content as number));
        break;
      case 'message':
        writeBytes(number, encode(field.fields(), content as MessageInput<Fields>), parts);
        break;
      case 'messages':
        for (const each of content as readonly object[]) writeBytes(number, encode(field.fields(), each), parts);
        break;
      case 'map':
        for (const [key, each] of Object.entries(content as Readonly<Record<string, object>>)) {
          const entry: Uint8Array[] = [];
          writeBytes(1, Buffer.from(key), entry);
          writeBytes(2, encode(field.fields(), each), entry);
          writeBytes(number, Buffer.concat(entry), parts);
        }
        break;
    }
  }
}

function writeBytes(number: number, content: Uint8Array, parts: Uint8Array[]): void {
  parts.push(varint(number * 8 + wire.bytes), varint(content.length), content);
}

function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
  return Uint8Array.from(out);
}

/** Negative numbers take ten bytes: the two's complement of 64 bits. */
function int64(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) throw new ProtobufError(`${value} is not a safe integer`);
  if (value >= 0) return varint(value);
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) + 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}
