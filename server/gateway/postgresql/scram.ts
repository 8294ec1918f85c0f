import { createHmac, hash, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** What the gateway keeps of a password: it proves the password, and cannot be used as one (RFC 5802, section 3). */
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

/** @param password of ASCII letters, which SASLprep leaves as they are */
export async function makeVerifier(password: string): Promise<Verifier> {
  const salted = await promisify(pbkdf2)(password, salt, iterations, 32, 'sha256');
  return { storedKey: sha256(hmac(salted, 'Client Key')), serverKey: hmac(salted, 'Server Key') };
}

/** The client's side of the exchange is malformed; the message says how. */
export class ScramError extends Error {
  override name = 'ScramError';
}

export const [plainMechanism, plusMechanism] = ['SCRAM-SHA-256', 'SCRAM-SHA-256-PLUS'];

/** No password proves this one. With it, a name without passwords costs as much work as one with a password. */
const mock: Verifier = { storedKey: randomBytes(32), serverKey: randomBytes(32) };

/** One log-in by SCRAM-SHA-256 (RFC 5802 and 7677), as the server. */
export class ScramExchange {
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
   * @returns which verifier it fits, and the server's final message; undefined if it fits none
   * @throws ScramError
   */
  finish<V extends Verifier>(message: string, candidates: readonly V[]): { found: V; answer: string } | undefined {
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
    let found: V | undefined;
    for (const one of candidates.length === 0 ? [mock] : candidates) {
      const signature = hmac(one.storedKey, text);
      const clientKey = Buffer.from(given.map((byte, index) => byte ^ (signature[index] ?? 0)));
      // Only a candidate: no one has a key whose hash is the mock's random bytes.
      if (timingSafeEqual(sha256(clientKey), one.storedKey)) found = one as V;
    }
    if (found === undefined) return undefined;
    return { found, answer: `v=${hmac(found.serverKey, text).toString('base64')}` };
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
