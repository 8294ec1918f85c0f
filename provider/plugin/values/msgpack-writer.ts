/** Writes MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md). */
export class MsgpackWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #size = 0;

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  nil(): void {
    this.#byte(0xc0);
  }

  bool(value: boolean): void {
    this.#byte(value ? 0xc3 : 0xc2);
  }

  number(value: number): void {
    if (Number.isSafeInteger(value)) {
      this.bigint(BigInt(value));
      return;
    }
    this.#reserve(9);
    this.#byte(0xcb);
    this.#size = this.#buffer.writeDoubleBE(value, this.#size);
  }

  /** Numbers beyond 64 bits as their decimal text, which is how go-cty reads them. */
  bigint(value: bigint): void {
    if (value >= 0n && value < 0x80n) this.#byte(Number(value));
    else if (value >= -0x20n && value < 0n) this.#byte(0x100 + Number(value));
    else if (value >= -(2n ** 63n) && value < 2n ** 63n) {
      this.#reserve(9);
      this.#byte(0xd3);
      this.#size = this.#buffer.writeBigInt64BE(value, this.#size);
    } else if (value > 0n && value < 2n ** 64n) {
      this.#reserve(9);
      this.#byte(0xcf);
      this.#size = this.#buffer.writeBigUInt64BE(value, this.#size);
    } else this.string(value.toString());
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    if (length < 32) this.#byte(0xa0 + length);
    else this.#head(length, 0xd9, 0xda, 0xdb);
    this.#reserve(length);
    this.#size += this.#buffer.write(value, this.#size);
  }

  bytes(value: Uint8Array): void {
    this.#head(value.length, 0xc4, 0xc5, 0xc6);
    this.raw(value);
  }

  array(size: number): void {
    if (size < 16) this.#byte(0x90 + size);
    else this.#head(size, undefined, 0xdc, 0xdd);
  }

  map(size: number): void {
    if (size < 16) this.#byte(0x80 + size);
    else this.#head(size, undefined, 0xde, 0xdf);
  }

  /** Bytes that are MessagePack already. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#size);
    this.#size += value.length;
  }

  #head(size: number, head8: number | undefined, head16: number, head32: number): void {
    this.#reserve(5);
    if (head8 !== undefined && size < 0x100) {
      this.#byte(head8);
      this.#byte(size);
    } else if (size < 0x10000) {
      this.#byte(head16);
      this.#size = this.#buffer.writeUInt16BE(size, this.#size);
    } else {
      this.#byte(head32);
      this.#size = this.#buffer.writeUInt32BE(size, this.#size);
    }
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#size = this.#buffer.writeUInt8(value, this.#size);
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#size + more));
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
  }
}
