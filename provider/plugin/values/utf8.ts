const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Longer texts are quicker by the decoder. */
const short = 64;

/**
 * Reads UTF-8. Most texts are names of attributes and ids: short and ASCII, for which the decoder takes longer to be
 * called than to decode.
 *
 * @throws TypeError when it is no UTF-8
 */
export function decodeUtf8(data: Uint8Array): string {
  if (data.length > short) return decoder.decode(data);
  let text = '';
  for (const byte of data) {
    if (byte >= 0x80) return decoder.decode(data);
    text += String.fromCharCode(byte);
  }
  return text;
}
