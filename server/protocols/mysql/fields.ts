/** Fields of MySQL's packets (MySQL's manual, "Protocol Data Types"). */

import { broken } from './framing.ts';

/** Reads a length-encoded number. @returns it, `undefined` for NULL, and the position after it */
export function readLength(bytes: Buffer, at: number, end: number): { value: number | undefined; at: number } {
  const first = bytes[at] ?? 0;
  if (at >= end) throw new Error(broken);
  if (first < 0xfb) return { value: first, at: at + 1 };
  if (first === 0xfb) return { value: undefined, at: at + 1 };
  const size = first === 0xfc ? 2 : first === 0xfd ? 3 : 8;
  if (first === 0xff || at + 1 + size > end) throw new Error(broken);
  const value = size === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, size);
  return { value, at: at + 1 + size };
}

/** Reads fields one after another. Every method throws if there is less than it needs. */
export class FieldReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  bytes(length: number): Buffer {
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new Error('a field is longer than its packet');
    return this.#bytes.subarray(start, this.#at);
  }

  terminated(): string {
    const stop = this.#bytes.indexOf(0, this.#at);
    if (stop === -1) throw new Error('a field does not end');
    const text = this.#bytes.toString('utf8', this.#at, stop);
    this.#at = stop + 1;
    return text;
  }

  lengthEncoded(): Buffer {
    const { value, at } = readLength(this.#bytes, this.#at, this.#bytes.length);
    this.#at = at;
    return this.bytes(value ?? 0);
  }
}
