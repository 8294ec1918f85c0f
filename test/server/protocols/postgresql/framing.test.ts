import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { message, messageReader } from '../../../../server/protocols/postgresql/framing.ts';

describe('messages of PostgreSQL', () => {
  it('are read the same however they are cut', () => {
    const bytes = Buffer.concat([3, 0, 700, 1].map((size, index) => message(0x41 + index, Buffer.alloc(size))));
    for (let size = 1; size <= 20; size += 1) {
      const seen: string[] = [];
      const read = messageReader((type, body, start, end) =>
        seen.push(`${String.fromCharCode(type)}${end - start}${body[start] ?? ''}`),
      );
      for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
      assert.deepEqual(
        seen.map((text) => text.slice(0, 2)),
        ['A3', 'B0', 'C7', 'D1'],
      );
    }
  });

  it('that are no messages, or too long, are refused before they are held', () => {
    const header = (type: number, length: number): Buffer => {
      const bytes = Buffer.alloc(5, type);
      bytes.writeUInt32BE(length, 1);
      return bytes;
    };
    for (const [bytes, reason] of [
      [header(0x44, 0xffff_ffff), /a row is longer than 16 MiB/],
      [header(0x45, 0xffff_ffff), /does not speak/],
      [header(0x5a, 3), /does not speak/],
    ] as const) {
      assert.throws(() => {
        messageReader(() => undefined)(bytes);
      }, reason);
    }
  });
});
