/** Writes JSON texts as bytes. A result may have millions of cells, too many for an object and a string each. */

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const digits = Buffer.from('0123456789abcdef');
const unicodeEscape = Buffer.from('\\u00');

/** The most bytes that a text of this length becomes: \u00XX for each byte, and the quotes. */
export function longestText(length: number): number {
  return 6 * length + 2;
}

/** The length of these bytes as JSON at most, found by looking at each. */
export function measureText(source: Uint8Array, start: number, end: number): number {
  let length = 2 + end - start;
  for (let index = start; index < end; index += 1) {
    const byte = source[index] ?? 0;
    if (byte < firstPrintable) length += 5;
    else if (byte === quote || byte === backslash) length += 1;
  }
  return length;
}

/**
 * Writes bytes of UTF-8 as a JSON text.
 *
 * @param at the position in the target, which must have room
 * @returns the position after the text
 */
export function writeText(target: Uint8Array, at: number, source: Uint8Array, start: number, end: number): number {
  let to = at;
  target[to++] = quote;
  for (let index = start; index < end; index += 1) {
    const byte = source[index] ?? 0;
    if (byte < firstPrintable) to = writeControl(target, to, byte);
    else {
      if (byte === quote || byte === backslash) target[to++] = backslash;
      target[to++] = byte;
    }
  }
  target[to++] = quote;
  return to;
}

/** Writes bytes as a JSON text of hexadecimal digits. */
export function writeHex(target: Uint8Array, at: number, source: Uint8Array, start: number, end: number): number {
  let to = at;
  target[to++] = quote;
  for (let index = start; index < end; index += 1) {
    const byte = source[index] ?? 0;
    target[to++] = digits[byte >> 4] ?? 0;
    target[to++] = digits[byte & 15] ?? 0;
  }
  target[to++] = quote;
  return to;
}

/** Writes a text of ASCII that needs no escapes, with quotes. */
export function writePlain(target: Uint8Array, at: number, text: string): number {
  let to = at;
  target[to++] = quote;
  for (let index = 0; index < text.length; index += 1) target[to++] = text.charCodeAt(index);
  target[to++] = quote;
  return to;
}

/** Writes `null`, without quotes. */
export function writeNull(target: Uint8Array, at: number): number {
  target[at] = 0x6e;
  target[at + 1] = 0x75;
  target[at + 2] = 0x6c;
  target[at + 3] = 0x6c;
  return at + 4;
}

function writeControl(target: Uint8Array, at: number, byte: number): number {
  target.set(unicodeEscape, at);
  target[at + 4] = digits[byte >> 4] ?? 0;
  target[at + 5] = digits[byte & 15] ?? 0;
  return at + 6;
}
