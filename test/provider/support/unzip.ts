import { inflateRawSync } from 'node:zlib';

/** The files of a zip archive, by name, read from its central directory (APPNOTE.TXT, 4.3). */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1) throw new Error('no zip archive');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const name = archive.toString('utf8', at + 46, at + 46 + nameSize!);
    files.set(name, contentAt(archive, archive.readUInt32LE(at + 42), archive.readUInt32LE(at + 20)));
    at += 46 + nameSize! + extraSize! + commentSize!;
  }
  return files;
}

function contentAt(archive: Buffer, header: number, size: number): Buffer {
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(start, start + size);
  return archive.readUInt16LE(header + 8) === 0 ? content : inflateRawSync(content);
}
