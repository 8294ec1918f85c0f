import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { Refusal } from '../refusal.ts';

const derive = promisify(argon2);

/** OWASP's recommendation for argon2id: 19 MiB of memory, two passes, one lane. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

/**
 * How many hashes are made at a time: the four threads that make them also serve files, and each keeps a core busy that other
 * requests need.
 */
const mostAtOnce = Math.min(2, Math.max(1, availableParallelism() - 1));
const mostWaiting = 16;

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Hashes passwords with argon2id, a few at a time, so that a flood of sign-ins leaves the service its threads and memory. */
export class PasswordHasher {
  readonly #atOnce: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Compared with where a person has no password, so that the answer takes as long. */
  readonly #none = format(parameters, randomBytes(saltBytes), randomBytes(tagBytes));

  constructor(atOnce = mostAtOnce) {
    this.#atOnce = atOnce;
  }

  /** @returns a PHC string @throws Refusal unavailable where too many wait */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const tag = await this.#derive(password, { ...parameters, nonce: salt, tagLength: tagBytes });
    return format(parameters, salt, tag);
  }

  /**
   * Compares a password with a hash. Takes as long if there is no hash.
   *
   * @throws Refusal unavailable where too many wait
   */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(hash ?? this.#none) ?? [];
    const right = Buffer.from(tag, 'base64');
    const given = await this.#derive(password, {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      nonce: Buffer.from(salt, 'base64'),
      tagLength: right.length,
    });
    return timingSafeEqual(given, right) && hash !== undefined;
  }

  /** Whether a hash was made with the parameters of today. */
  isCurrent(hash: string): boolean {
    return hash.startsWith(format(parameters, Buffer.alloc(0), Buffer.alloc(0)).slice(0, -1));
  }

  async #derive(password: string, options: Omit<Parameters<typeof argon2>[1], 'message'>): Promise<Buffer> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= mostWaiting) {
        const headers = { 'retry-after': '2' };
        throw new Refusal('unavailable', 'too many passwords are being checked at the moment', { headers });
      }
      // A call that ends hands its place on, so that no later call takes it first.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await derive('argon2id', { message: password.normalize('NFC'), ...options });
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

function format({ memory, passes, parallelism }: typeof parameters, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}
