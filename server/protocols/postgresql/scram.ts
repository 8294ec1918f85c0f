import { createHmac, hash, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Verifier that the gateway keeps of a password: it proves the password, and cannot be used as one (RFC 5802, section 3). */
export interface Verifier {
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/** As many as PostgreSQL has by default. Passwords are 256 random bits, which no number of rounds makes harder to guess. */
const iterations = 4096;

/**
 * The salt of all passwords. A salt keeps one table of guesses from serving for many passwords, and no table has these. With a salt for
 * each name, a password would end when its person is renamed, and the first answer would tell who exists.
 */
const salt = hash('sha256', 'rolecall gateway', 'buffer').subarray(0, 16);

export async function makeVerifier(password: string): Promise<Verifier> {
  const { clientKey, serverKey } = await deriveKeys(password, salt, iterations);
  return { storedKey: sha256(clientKey), serverKey };
}

/** The other side's message is malformed, or proves nothing; the error's message says how. */
export class ScramError extends Error {
  override name = 'ScramError';
}

const [plainMechanism, plusMechanism] = ['SCRAM-SHA-256', 'SCRAM-SHA-256-PLUS'];

/** No password proves this one. With it, a name without passwords costs as much work as one with a password. */
const mock: Verifier = { storedKey: randomBytes(32), serverKey: randomBytes(32) };

/** One log-in by SCRAM-SHA-256 (RFC 5802 and 7677), as the server. */
export class ScramServer {
  readonly #certificateHash: Buffer | undefined;
  readonly #nonce: string;
  #header = '';
  #bare = '';
  #serverFirst = '';
  #bound = false;

  /**
   * @param certificateHash binds the log-in to the TLS connection (tls-server-end-point, RFC 5929); undefined without TLS
   * @param nonce for tests
   */
  constructor(certificateHash: Buffer | undefined, nonce: string = randomBytes(18).toString('base64')) {
    this.#certificateHash = certificateHash;
    this.#nonce = nonce;
  }

  get mechanisms(): readonly string[] {
    return this.#certificateHash === undefined ? [plainMechanism] : [plusMechanism, plainMechanism];
  }

  /** Takes the client's first message. @returns the server's first. @throws ScramError */
  begin(mechanism: string, message: string): string {
    if (!this.mechanisms.includes(mechanism)) throw new ScramError(`the log-in by ${mechanism} is not offered`);
    const [, header = '', flag = '', bare = '', nonce = ''] =
      /^((p=tls-server-end-point|[ny]),,)(n=[^,]*,r=([!-+\--~]{1,256}))$/.exec(message) ?? [];
    if (nonce === '') throw new ScramError("the client's first message of SCRAM is malformed");
    this.#bound = flag.startsWith('p');
    if (this.#bound !== (mechanism === plusMechanism)) {
      throw new ScramError('the channel binding does not fit the mechanism');
    }
    // The client supports binding and believes that the gateway does not: something in between has removed the offer.
    if (flag === 'y' && this.#certificateHash !== undefined) {
      throw new ScramError('the offer of channel binding was removed on its way to the client');
    }
    this.#header = header;
    this.#bare = bare;
    this.#serverFirst = `r=${nonce}${this.#nonce},s=${salt.toString('base64')},i=${iterations}`;
    return this.#serverFirst;
  }

  /**
   * Takes the client's proof.
   *
   * @returns the verifier that it fits, and the server's final message; undefined if it fits none
   * @throws ScramError
   */
  finish<V extends Verifier>(message: string, candidates: readonly V[]): { verifier: V; answer: string } | undefined {
    const [, withoutProof = '', binding = '', nonce = '', proof = ''] =
      /^(c=([A-Za-z0-9+/=]+),r=([!-+\--~]+)),p=([A-Za-z0-9+/]{43}=)$/.exec(message) ?? [];
    if (proof === '') throw new ScramError("the client's final message of SCRAM is malformed");
    const bound = this.#bound ? (this.#certificateHash ?? Buffer.alloc(0)) : Buffer.alloc(0);
    if (binding !== Buffer.concat([Buffer.from(this.#header), bound]).toString('base64')) {
      throw new ScramError('the log-in is bound to another TLS connection than this one');
    }
    if (!this.#serverFirst.startsWith(`r=${nonce},`)) throw new ScramError('the nonce is not the one of this log-in');
    const text = `${this.#bare},${this.#serverFirst},${withoutProof}`;
    const given = Buffer.from(proof, 'base64');
    let verifier: V | undefined;
    for (const candidate of candidates.length === 0 ? [mock] : candidates) {
      const clientKey = xor(given, hmac(candidate.storedKey, text));
      // Only a candidate: no one has a key whose hash is the mock's random bytes.
      if (timingSafeEqual(sha256(clientKey), candidate.storedKey)) verifier = candidate as V;
    }
    if (verifier === undefined) return undefined;
    return { verifier, answer: `v=${hmac(verifier.serverKey, text).toString('base64')}` };
  }
}

/** The most rounds that a server may ask for. */
const mostIterations = 100_000;

/** One log-in by SCRAM-SHA-256, as the client. It is not bound to the TLS connection. */
export class ScramClient {
  readonly #password: string;
  readonly #nonce = randomBytes(18).toString('base64');
  #serverSignature = '';

  constructor(password: string) {
    this.#password = password;
  }

  /** Chooses among what the server offers. @returns the mechanism, and the first message @throws ScramError */
  begin(mechanisms: readonly string[]): { mechanism: string; response: string } {
    if (!mechanisms.includes(plainMechanism)) {
      throw new ScramError(`the server offers no log-in by ${plainMechanism}, but ${mechanisms.join(' ').trim()}`);
    }
    if (this.#password === '') {
      throw new ScramError('the server asks for a password: password must be a non-empty string');
    }
    return { mechanism: plainMechanism, response: `n,,${this.#bare}` };
  }

  /** Takes the server's first message. @returns the proof of the password @throws ScramError */
  async prove(serverFirst: string): Promise<string> {
    const [, nonce = '', encodedSalt = '', rounds = ''] =
      /^r=([!-+\--~]+),s=([A-Za-z0-9+/]+=*),i=([1-9]\d{0,8})$/.exec(serverFirst) ?? [];
    if (nonce === '') throw new ScramError("the server's first message of SCRAM is malformed");
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce) {
      throw new ScramError("the server's nonce does not continue the one of this log-in");
    }
    if (Number(rounds) > mostIterations) {
      throw new ScramError(`the server asks for ${rounds} rounds of SCRAM, and ${mostIterations} are the most`);
    }
    const { clientKey, serverKey } = await keptKeys(this.#password, encodedSalt, Number(rounds));
    const withoutProof = `c=biws,r=${nonce}`;
    const text = `${this.#bare},${serverFirst},${withoutProof}`;
    this.#serverSignature = hmac(serverKey, text).toString('base64');
    const proof = xor(clientKey, hmac(sha256(clientKey), text));
    return `${withoutProof},p=${proof.toString('base64')}`;
  }

  /** Takes the server's proof that it knows the password. @throws ScramError */
  verify(serverFinal: string): void {
    if (serverFinal !== `v=${this.#serverSignature}`) throw new ScramError('the server signature does not match');
  }

  get #bare(): string {
    return `n=*,r=${this.#nonce}`;
  }
}

interface ScramKeys {
  readonly clientKey: Buffer;
  readonly serverKey: Buffer;
}

/** Derived keys that are kept: one for each data source, and some more. */
const mostKeys = 256;

const kept = new Map<string, Promise<ScramKeys>>();

/** Keeps what follows from a password and the server's salt, since deriving it takes some milliseconds of a processor. */
function keptKeys(password: string, encodedSalt: string, rounds: number): Promise<ScramKeys> {
  const id = hash('sha256', `${rounds} ${encodedSalt} ${password}`);
  const keys = kept.get(id) ?? deriveKeys(password, Buffer.from(encodedSalt, 'base64'), rounds);
  // The one that was used last is dropped last.
  kept.delete(id);
  kept.set(id, keys);
  keys.catch(() => kept.delete(id));
  const [oldest = ''] = kept.keys();
  if (kept.size > mostKeys) kept.delete(oldest);
  return keys;
}

async function deriveKeys(password: string, salted: Buffer, rounds: number): Promise<ScramKeys> {
  const key = await promisify(pbkdf2)(prepared(password), salted, rounds, 32, 'sha256');
  return { clientKey: hmac(key, 'Client Key'), serverKey: hmac(key, 'Server Key') };
}

/** Code points that SASLprep takes for a blank, and those that it leaves out (RFC 3454, tables C.1.2 and B.1). */
const blanks = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g;
const leftOut = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g;

/** Prepares a password by SASLprep (RFC 4013). As servers do, it lets pass what that prohibits. */
function prepared(password: string): string {
  return password.replace(blanks, ' ').replace(leftOut, '').normalize('NFKC');
}

function xor(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
