import { hash, type X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { FatalError } from '../fatal-error.ts';
import { readExactly } from '../read-exactly.ts';
import { saslContinue, saslMechanisms } from './messages.ts';
import { ScramError, ScramExchange, type Verifier } from './scram.ts';

/** The longest message of a log-in, in bytes. */
const longestMessage = 2048;

/**
 * Logs a client in with SCRAM.
 *
 * @param find gives what the person's passwords prove; called once, whatever the name is
 * @returns the password that fits, and the last message of SCRAM
 * @throws FatalError
 */
export async function logIn<V extends Verifier>(
  stream: Duplex,
  find: () => Promise<readonly V[]>,
  signal: AbortSignal,
): Promise<{ found: V; answer: string }> {
  const exchange = new ScramExchange(certificateHash(stream));
  try {
    stream.write(saslMechanisms(exchange.mechanisms));
    const initial = await readMessage(stream, signal);
    const nul = initial.indexOf(0);
    const first = initial.toString('utf8', nul + 5);
    stream.write(saslContinue(exchange.begin(initial.toString('utf8', 0, nul), first)));
    const [message, candidates] = await Promise.all([readMessage(stream, signal), find()]);
    const result = exchange.finish(message.toString('utf8'), candidates);
    if (result !== undefined) return result;
  } catch (error) {
    if (error instanceof ScramError) throw new FatalError('28000', error.message);
    throw error;
  }
  throw new FatalError(
    '28P01',
    'the password is wrong, has ended, or belongs to another data source',
    'Make a password with "rolecall connect".',
  );
}

async function readMessage(stream: Duplex, signal: AbortSignal): Promise<Buffer> {
  const head = await readExactly(stream, 5, signal);
  const length = head.readUInt32BE(1) - 4;
  if (head[0] !== 'p'.charCodeAt(0) || length < 1 || length > longestMessage) {
    throw new FatalError('08P01', 'the client answered the request for a password with another message');
  }
  return readExactly(stream, length, signal);
}

/** The hash that binds a log-in to the certificate of this connection (tls-server-end-point, RFC 5929); undefined without TLS. */
function certificateHash(stream: Duplex): Buffer | undefined {
  const certificate = stream instanceof TLSSocket ? stream.getX509Certificate() : undefined;
  return certificate === undefined ? undefined : endPointHash(certificate);
}

/** @returns undefined for a certificate whose signature names no hash, such as one by Ed25519 */
export function endPointHash({ raw, signatureAlgorithm = '' }: X509Certificate): Buffer | undefined {
  const [, bits] = /sha-?(1|224|256|384|512)/i.exec(signatureAlgorithm) ?? [];
  // SHA-1 counts as SHA-256 here.
  return bits === undefined ? undefined : hash(bits === '1' ? 'sha256' : `sha${bits}`, raw, 'buffer');
}
