import { isUtf8 } from 'node:buffer';

/** It gives each byte a character of its own, also those that the encoding leaves free. */
const westEuropean = new TextDecoder('windows-1252');

/**
 * Reads a statement for the audit trail. A session may write in another encoding than UTF-8, most likely in one of Western Europe.
 * Where that is wrong, too, each byte still has a character of its own: different statements have different digests.
 */
export function statementText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : westEuropean.decode(bytes);
}

/** True if a statement has these bytes, by its text as it was read above. */
export function hasBytes(text: string, bytes: Buffer): boolean {
  return Buffer.from(text).includes(bytes) || text.includes(westEuropean.decode(bytes));
}
