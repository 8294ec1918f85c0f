import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
  readonly der: Buffer;
}

const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
const commonName = '2.5.4.3';
const basicConstraints = '2.5.29.19';
const keyUsage = '2.5.29.15';
const extendedKeyUsage = '2.5.29.37';
const subjectAlternativeName = '2.5.29.17';
const serverAuthentication = '1.3.6.1.5.5.7.3.1';

/**
 * Makes the certificate by which Terraform knows this process: for localhost, signed by itself, for as long as one
 * command may take (RFC 5280). By hand, as that takes 8 ms and the libraries for it 200.
 */
export function makeCertificate(): Certificate {
  const now = Date.now();
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(identifier(ecdsaWithSha256));
  const name = sequence(set(sequence(identifier(commonName), text('localhost'))));
  const extensions = sequence(
    sequence(identifier(basicConstraints), boolean(true), octets(sequence(boolean(true)))),
    // digitalSignature and keyCertSign.
    sequence(identifier(keyUsage), boolean(true), octets(bits(Buffer.of(0x84), 2))),
    sequence(identifier(extendedKeyUsage), octets(sequence(identifier(serverAuthentication)))),
    sequence(identifier(subjectAlternativeName), octets(sequence(dnsName('localhost')))),
  );
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(serialNumber()),
    algorithm,
    name,
    sequence(time(new Date(now - 60_000)), time(new Date(now + 30 * 24 * 3_600_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, extensions),
  );
  const der = sequence(body, algorithm, bits(sign('sha256', body, privateKey)));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: toPem(der), der };
}

/** Positive and never empty, as RFC 5280 wants it. */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial.writeUInt8(((serial[0] ?? 0) & 0x7f) | 0x40, 0);
  return serial;
}

/** A blank line would break OpenSSL's reader, so lines are cut rather than ended one by one. */
function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

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

const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer => tagged(0xa0 + number, ...parts);
const octets = (content: Uint8Array): Buffer => tagged(0x04, content);
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.of(value ? 0xff : 0));
const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value));
/** A DNS name among the alternative names (RFC 5280, GeneralName). */
const dnsName = (value: string): Buffer => tagged(0x82, Buffer.from(value, 'ascii'));

/** @param content the number, big-endian; a leading zero keeps it positive */
function integer(content: Uint8Array): Buffer {
  return tagged(0x02, (content[0] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.of(), content);
}

/** @param unused how many bits of the last byte do not count */
function bits(content: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.of(unused), content);
}

function time(value: Date): Buffer {
  return tagged(0x18, Buffer.from(value.toISOString().replace(/[-:T]|\.\d+/g, ''), 'ascii'));
}

/** An object identifier, such as `2.5.29.17`. */
function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const out = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let more = part >>> 7; more > 0; more >>>= 7) groups.unshift((more & 0x7f) | 0x80);
    out.push(...groups);
  }
  return tagged(0x06, Buffer.from(out));
}
