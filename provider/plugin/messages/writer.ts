import { ProtobufError, wire } from './fields.ts';

/** Writes the wire format of Protocol Buffers into one buffer that grows. */
export class ProtobufWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #size = 0;

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  string(number: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#head(number, length);
    this.#size += this.#buffer.write(value, this.#size);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#head(number, value.length);
    this.#buffer.set(value, this.#size);
    this.#size += value.length;
  }

  /** @throws ProtobufError when it is not a safe integer */
  int(number: number, value: number): void {
    if (!Number.isSafeInteger(value)) throw new ProtobufError(`${value} is not a safe integer`);
    this.#reserve(20);
    this.#varint(number * 8 + wire.varint);
    if (value >= 0) this.#varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
  }

  /** A message within the message, whose length is known only once it is written. */
  message(number: number, write: () => void): void {
    this.#reserve(20);
    this.#varint(number * 8 + wire.bytes);
    const lengthAt = this.#size;
    this.#size += 1;
    write();
    const length = this.#size - lengthAt - 1;
    const more = sizeOf(length) - 1;
    if (more > 0) {
      this.#reserve(more);
      this.#buffer.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#size);
    }
    this.#size = lengthAt;
    this.#varint(length);
    this.#size += length;
  }

  #head(number: number, length: number): void {
    this.#reserve(20 + length);
    this.#varint(number * 8 + wire.bytes);
    this.#varint(length);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#size] = (rest % 0x80) + 0x80;
      this.#size += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#size] = rest;
    this.#size += 1;
  }

  /** Negative numbers take ten bytes: the two's complement of 64 bits. */
  #bigVarint(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#buffer[this.#size] = Number(rest & 0x7fn) + 0x80;
      this.#size += 1;
      rest >>= 7n;
    }
    this.#buffer[this.#size] = Number(rest);
    this.#size += 1;
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#size + more));
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
  }
}

function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}
