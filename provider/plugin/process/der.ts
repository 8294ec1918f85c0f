/** The few forms of DER that a certificate needs (ITU-T X.690). */

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const size =
    content.length < 0x100
      ? Buffer.of(0x81, content.length)
      : Buffer.of(0x82, content.length >> 8, content.length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer => tagged(0xa0 + number, ...parts);
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content);
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.of(value ? 0xff : 0));
export const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value));
/** A DNS name among the alternative names (RFC 5280, GeneralName). */
export const dnsName = (value: string): Buffer => tagged(0x82, Buffer.from(value, 'ascii'));

/** @param content the number, big-endian; a leading zero keeps it positive */
export function integer(content: Uint8Array): Buffer {
  return tagged(0x02, (content[0] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.of(), content);
}

/** @param unused how many bits of the last byte do not count */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.of(unused), content);
}

export function time(value: Date): Buffer {
  return tagged(0x18, Buffer.from(value.toISOString().replace(/[-:T]|\.\d+/g, ''), 'ascii'));
}

/** An object identifier, such as `2.5.29.17`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const out = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let more = part >>> 7; more > 0; more >>>= 7) groups.unshift((more & 0x7f) | 0x80);
    out.push(...groups);
  }
  return tagged(0x06, Buffer.from(out));
}
