/** Decodes bytes as text. */

import { isUtf8 } from 'node:buffer';

/** The reason why bytes are not text in UTF-8. */
export interface EncodingFault {
  readonly message: string;
  readonly remedy: string;
  readonly line: number;
  readonly column: number;
}

const remedy = 'Save the file as UTF-8.';

/** Decodes UTF-8 and drops a byte order mark, or says where it stops being text. */
export function decodeUtf8(bytes: Buffer): string | EncodingFault {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { message: 'is UTF-16, not UTF-8', remedy, line: 1, column: 1 };
  }
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    return textFault(text) ?? (text.startsWith(mark) ? text.slice(1) : text);
  }
  const valid = validLength(bytes);
  const byte = (bytes[valid] ?? 0).toString(16).padStart(2, '0').toUpperCase();
  const message = `is not UTF-8 at byte ${valid} (0x${byte})`;
  return { message, remedy, ...placeAfter(bytes.toString('utf8', 0, valid)) };
}

const mark = '\uFEFF';

/** Characters that UTF-8 allows and no editor writes: the file is not text, or was put together from several. */
function textFault(text: string): EncodingFault | undefined {
  const zero = text.indexOf('\0');
  if (zero >= 0) {
    const message = 'has a NUL byte, so that it is no text, or is UTF-16 without its mark';
    return { message, remedy, ...placeAfter(text.slice(0, zero)) };
  }
  const inside = text.indexOf(`\n${mark}`);
  if (inside < 0) return undefined;
  const message = 'has a byte order mark in its middle, as when two files are joined';
  return {
    message,
    remedy: 'Remove the mark (U+FEFF) at the beginning of that line.',
    ...placeAfter(text.slice(0, inside + 1)),
  };
}

function placeAfter(text: string): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf('\n'); next >= 0; next = text.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: text.length - start + 1 };
}

/** Length of the whole characters at the beginning, in bytes. */
function validLength(bytes: Buffer): number {
  // The lenient decoder writes U+FFFD for invalid bytes, so the first difference is where they begin...
  const back = Buffer.from(bytes.toString('utf8'), 'utf8');
  let index = 0;
  while (index < bytes.length && bytes[index] === back[index]) index += 1;
  // ...unless the invalid bytes happen to begin like U+FFFD: then a little before.
  while (index > 0 && !isUtf8(bytes.subarray(0, index))) index -= 1;
  return index;
}
