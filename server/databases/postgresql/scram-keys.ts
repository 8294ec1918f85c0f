import { createHmac, hash, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

/** What a client proves its password with (RFC 5802, section 3). */
interface ScramKeys {
  readonly clientKey: Buffer;
  readonly serverKey: Buffer;
}

/** How many are kept: the one of each data source, and some more. */
const mostKeys = 256;

/** The most rounds that a server may ask for, as in the driver. */
const mostIterations = 100_000;

const kept = new Map<string, Promise<ScramKeys>>();

/** What the driver keeps of a log-in by SCRAM, which is not in its types. */
interface SaslSession {
  message: string;
  readonly clientNonce: unknown;
  response?: string;
  serverSignature?: string;
}

interface SaslClient {
  saslSession: SaslSession | null;
  readonly _handleAuthSASLContinue: (message: { data: string }) => Promise<void>;
  readonly connection: { sendSCRAMClientFinalMessage: (response: string) => void; emit: (...args: unknown[]) => void };
}

/**
 * Keeps what follows from a password and the server's salt, since deriving it takes some milliseconds of a processor, and the driver
 * derives it anew for each connection. A log-in that it does not understand is left to the driver.
 *
 * @param client of node-postgres, not connected yet
 */
export function keepScramKeys(client: object, password: string): void {
  // SASLprep leaves these as they are.
  if (!/^[ -~]+$/.test(password)) return;
  // A new version of the driver that keeps its session in another form logs in by itself.
  const driver = client as SaslClient;
  const byDriver = driver._handleAuthSASLContinue.bind(client);
  const answer = async (message: { data: string }): Promise<void> => {
    const { saslSession: session, connection } = driver;
    const [, nonce = '', salt = '', rounds = ''] =
      /^r=([!-+\--~]+),s=([A-Za-z0-9+/]+=*),i=(\d{1,6})$/.exec(message.data) ?? [];
    const { message: state, clientNonce } = session ?? {};
    const isOurs = typeof clientNonce === 'string' && nonce.startsWith(clientNonce) && nonce !== clientNonce;
    const isKnown = isOurs && state === 'SASLInitialResponse' && Number(rounds) > 0 && Number(rounds) <= mostIterations;
    if (session === null || !isKnown) return byDriver(message);
    try {
      const keys = await keysOf(password, salt, Number(rounds));
      const withoutProof = `c=biws,r=${nonce}`;
      const text = `n=*,r=${clientNonce},${message.data},${withoutProof}`;
      const signature = hmac(hash('sha256', keys.clientKey, 'buffer'), text);
      const proof = Buffer.from(keys.clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
      session.message = 'SASLResponse';
      // The driver holds the server's last message to it.
      session.serverSignature = hmac(keys.serverKey, text).toString('base64');
      session.response = `${withoutProof},p=${proof.toString('base64')}`;
      connection.sendSCRAMClientFinalMessage(session.response);
    } catch (error) {
      connection.emit('error', error);
    }
  };
  Object.assign(client, { _handleAuthSASLContinue: answer });
}

function keysOf(password: string, salt: string, iterations: number): Promise<ScramKeys> {
  const id = hash('sha256', `${iterations} ${salt} ${password}`);
  const found = kept.get(id) ?? deriveKeys(password, salt, iterations);
  // The one that was used last is dropped last.
  kept.delete(id);
  kept.set(id, found);
  found.catch(() => kept.delete(id));
  const [oldest = ''] = kept.keys();
  if (kept.size > mostKeys) kept.delete(oldest);
  return found;
}

async function deriveKeys(password: string, salt: string, iterations: number): Promise<ScramKeys> {
  const salted = await promisify(pbkdf2)(password, Buffer.from(salt, 'base64'), iterations, 32, 'sha256');
  return { clientKey: hmac(salted, 'Client Key'), serverKey: hmac(salted, 'Server Key') };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
