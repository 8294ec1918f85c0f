/** Fields of PostgreSQL's messages (PostgreSQL's manual, "Message Data Types"). */

export function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Reads the text from here to its NUL, or to the end. */
export function readText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, textEnd(bytes, start, end));
}

/** Reads the same as bytes: a session may write in another encoding than UTF-8. */
export function readBytes(bytes: Buffer, start: number, end: number): Buffer {
  return bytes.subarray(start, textEnd(bytes, start, end));
}

function textEnd(bytes: Buffer, start: number, end: number): number {
  const stop = bytes.indexOf(0, start);
  return stop === -1 || stop > end ? end : stop;
}
