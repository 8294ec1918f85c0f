import { ConformError } from './conform-error.ts';
import { decodeUtf8 } from './utf8.ts';
import type { Path } from './value.ts';

/** The beginning of a value in MessagePack, or all of it where it has no parts. */
export type MsgpackToken =
  | { readonly kind: 'nil' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number | bigint }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'array' | 'map'; readonly size: number }
  | { readonly kind: 'ext'; readonly type: number; readonly raw: Uint8Array };

const nil: MsgpackToken = { kind: 'nil' };

/** Reads MessagePack token by token (https://github.com/msgpack/msgpack/blob/master/spec.md). */
export class MsgpackReader {
  readonly #data: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  atEnd(): boolean {
    return this.#at === this.#data.length;
  }

  /** @throws ConformError when the bytes end early or are no MessagePack */
  next(path: Path): MsgpackToken {
    const start = this.#at;
    const head = this.#number('getUint8', 1, path);
    if (head < 0x80) return { kind: 'number', value: head };
    if (head < 0x90) return this.#sized('map', head & 0x0f, path);
    if (head < 0xa0) return this.#sized('array', head & 0x0f, path);
    if (head < 0xc0) return this.#string(head & 0x1f, path);
    if (head >= 0xe0) return { kind: 'number', value: head - 0x100 };
    switch (head) {
      case 0xc0:
        return nil;
      case 0xc2:
      case 0xc3:
        return { kind: 'bool', value: head === 0xc3 };
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return { kind: 'bytes', value: this.#take(this.#size(head - 0xc4, path), path) };
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#ext(start, this.#size(head - 0xc7, path), path);
      case 0xca:
        return { kind: 'number', value: this.#number('getFloat32', 4, path) };
      case 0xcb:
        return { kind: 'number', value: this.#number('getFloat64', 8, path) };
      case 0xcc:
        return { kind: 'number', value: this.#number('getUint8', 1, path) };
      case 0xcd:
        return { kind: 'number', value: this.#number('getUint16', 2, path) };
      case 0xce:
        return { kind: 'number', value: this.#number('getUint32', 4, path) };
      case 0xcf:
        return { kind: 'number', value: narrow(this.#big('getBigUint64', path)) };
      case 0xd0:
        return { kind: 'number', value: this.#number('getInt8', 1, path) };
      case 0xd1:
        return { kind: 'number', value: this.#number('getInt16', 2, path) };
      case 0xd2:
        return { kind: 'number', value: this.#number('getInt32', 4, path) };
      case 0xd3:
        return { kind: 'number', value: narrow(this.#big('getBigInt64', path)) };
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#ext(start, 2 ** (head - 0xd4), path);
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#string(this.#size(head - 0xd9, path), path);
      case 0xdc:
      case 0xdd:
        return this.#sized('array', this.#size(head - 0xdb, path), path);
      case 0xde:
      case 0xdf:
        return this.#sized('map', this.#size(head - 0xdd, path), path);
      default:
        throw new ConformError(path, `is no MessagePack: it begins with 0x${head.toString(16)}`);
    }
  }

  /** A size in one, two or four bytes. */
  #size(power: number, path: Path): number {
    if (power === 0) return this.#number('getUint8', 1, path);
    return power === 1 ? this.#number('getUint16', 2, path) : this.#number('getUint32', 4, path);
  }

  /** Every element takes a byte at least, so a larger number is a lie that would only take memory. */
  #sized(kind: 'array' | 'map', size: number, path: Path): MsgpackToken {
    if (size * (kind === 'map' ? 2 : 1) > this.#data.length - this.#at) throw cut(path);
    return { kind, size };
  }

  #ext(start: number, size: number, path: Path): MsgpackToken {
    const type = this.#number('getInt8', 1, path);
    this.#take(size, path);
    return { kind: 'ext', type, raw: this.#data.slice(start, this.#at) };
  }

  #string(size: number, path: Path): MsgpackToken {
    const data = this.#take(size, path);
    try {
      return { kind: 'string', value: decodeUtf8(data) };
    } catch {
      throw new ConformError(path, 'is not UTF-8');
    }
  }

  #take(size: number, path: Path): Uint8Array {
    if (size > this.#data.length - this.#at) throw cut(path);
    this.#at += size;
    return this.#data.subarray(this.#at - size, this.#at);
  }

  #number(
    read: 'getUint8' | 'getUint16' | 'getUint32' | 'getInt8' | 'getInt16' | 'getInt32' | 'getFloat32' | 'getFloat64',
    size: number,
    path: Path,
  ): number {
    this.#take(size, path);
    return this.#view[read](this.#at - size);
  }

  #big(read: 'getBigUint64' | 'getBigInt64', path: Path): bigint {
    this.#take(8, path);
    return this.#view[read](this.#at - 8);
  }
}

function cut(path: Path): ConformError {
  return new ConformError(path, 'ends in the middle');
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
