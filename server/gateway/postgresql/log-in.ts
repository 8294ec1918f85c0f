import { hash, type X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { caseless } from '../../store/person.ts';
import { FatalError, saslContinue, saslMechanisms } from './messages.ts';
import { ScramError, ScramExchange, type Verifier } from './scram.ts';

/** The longest message of a log-in, in bytes. */
const longestMessage = 2048;

/** The client left, or took too long: no one is there to be told why. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError';
}

/**
 * Reads exactly so many bytes, and leaves the rest where it is.
 *
 * @throws the signal's reason; ClientGoneError where the stream ends
 */
export function readExactly(stream: Duplex, count: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // At once, before the promise settles: another event would take bytes that no one waits for.
  const stop = (): void => {
    stream.off('readable', attempt).off('end', attempt);
    signal.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    stop();
    reject(signal.reason as Error);
  };
  // One listener until all has come: each new one is told of the same bytes again, which would never end.
  const attempt = (): void => {
    // A stream of bytes gives bytes.
    const bytes = stream.read(count) as Buffer | null;
    if (bytes === null && !stream.readableEnded && !stream.destroyed) return;
    stop();
    if (bytes?.length === count) resolve(bytes);
    else reject(new ClientGoneError('the client closed the connection'));
  };
  stream.on('readable', attempt).on('end', attempt);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  else attempt();
  return promise;
}

/**
 * Logs a client in with SCRAM.
 *
 * @param find gives what the person's passwords prove; called once, whatever the name is
 * @returns the password that fits, and the last message of SCRAM
 * @throws FatalError
 */
export async function logIn<V extends Verifier>(
  stream: Duplex,
  username: string,
  find: () => Promise<readonly V[]>,
  signal: AbortSignal,
): Promise<{ found: V; answer: string }> {
  const exchange = new ScramExchange(caseless(username), certificateHash(stream));
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
