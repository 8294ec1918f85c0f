import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
  /** Unix permissions, such as 0o755. */
  readonly mode: number;
}

/** 1 January 1980, the first day that the format knows: the same content gives the same archive. */
const date = 0x21;
const deflated = 8;
/** Version 2.0 of the format, on Unix. */
const madeBy = 0x0314;

/** Writes a zip archive, of files below 4 GiB (APPNOTE.TXT, 4.3). */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode } of entries) {
    const packed = deflateRawSync(content);
    const sizes = Buffer.alloc(20);
    sizes.writeUInt16LE(deflated, 0);
    sizes.writeUInt16LE(date, 4);
    sizes.writeUInt32LE(crc32(content), 6);
    sizes.writeUInt32LE(packed.length, 10);
    sizes.writeUInt32LE(content.length, 14);
    sizes.writeUInt16LE(Buffer.byteLength(name), 18);
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'),
      sizes,
      Buffer.alloc(2),
      Buffer.from(name),
    ]);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE((0o100000 | mode) * 0x10000, 8);
    tail.writeUInt32LE(offset, 12);
    const head = Buffer.from('PK\x01\x02\0\0\x14\0\0\0', 'latin1');
    head.writeUInt16LE(madeBy, 4);
    directory.push(Buffer.concat([head, sizes, tail, Buffer.from(name)]));
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
