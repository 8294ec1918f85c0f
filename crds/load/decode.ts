/** Bytes to text. */

import { isUtf8 } from 'node:buffer';

/** What is wrong with bytes that are not UTF-8. */
export interface EncodingFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Decodes UTF-8 and drops a byte order mark, or says where it stops being UTF-8. */
export function decodeUtf8(bytes: Buffer): string | EncodingFault {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { message: 'is UTF-16, not UTF-8', line: 1, column: 1 };
  }
  const valid = validLength(bytes);
  const before = bytes.toString('utf8', 0, valid);
  const lines = before.split('\n');
  const byte = (bytes[valid] ?? 0).toString(16).padStart(2, '0').toUpperCase();
  return {
    message: `is not UTF-8 at byte ${valid} (0x${byte})`,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
  };
}

/** How many bytes at the beginning are whole characters. */
function validLength(bytes: Buffer): number {
  // Decoding for good puts U+FFFD for what is invalid, so that the first difference is where that begins...
  const back = Buffer.from(bytes.toString('utf8'), 'utf8');
  let index = 0;
  while (index < bytes.length && bytes[index] === back[index]) index += 1;
  // ...unless the invalid bytes happen to begin like U+FFFD: then a little before.
  while (index > 0 && !isUtf8(bytes.subarray(0, index))) index -= 1;
  return index;
}
