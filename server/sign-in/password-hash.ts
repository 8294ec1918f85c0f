import { type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { tooManyRequests } from '../http/limits/rate-limits.ts';
import { Refusal } from '../refusal.ts';

/** Cost of a hash: memory in KiB, and passes over it. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
}

/** OWASP's recommendation for argon2id, with one lane. */
const recommended: PasswordCost = { memory: 19_456, passes: 2 };
const saltBytes = 16;
const tagBytes = 32;

/** Passwords in hand at most, beside the one that is hashed, and those of one network among them. */
const [mostWaiting, mostOfNetwork] = [16, 8];

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

type HashParameters = PasswordCost & { readonly parallelism: number };

interface Waiting {
  readonly network: string;
  readonly resolve: (tag: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Hashes passwords with argon2id, one at a time on a thread of its own, so that a flood of sign-ins takes neither the memory of the
 * service nor the threads that write the rows of queries.
 */
export class PasswordHasher {
  readonly #parameters: HashParameters;
  /** Compared with where a person has no password, so that the answer takes as long. */
  readonly #none: string;
  /** In the order in which the thread answers. */
  readonly #waiting: Waiting[] = [];
  #thread: Worker | undefined;

  constructor(cost = recommended) {
    this.#parameters = { ...cost, parallelism: 1 };
    this.#none = format(this.#parameters, randomBytes(saltBytes), randomBytes(tagBytes));
  }

  /**
   * Refuses a password that would find no place. To be asked before what costs more than this.
   *
   * @param network of the caller: one that has the right password, or many, leaves places to others
   * @throws Refusal unavailable, too_many_requests
   */
  requireRoom(network: string): void {
    if (this.#waiting.length > mostWaiting) {
      const headers = { 'retry-after': '2' };
      throw new Refusal('unavailable', 'too many passwords are being checked at the moment', { headers });
    }
    if (this.#waiting.filter((password) => password.network === network).length >= mostOfNetwork) {
      throw tooManyRequests('too many passwords from this address are being checked at the moment', 2);
    }
  }

  /** @returns a PHC string @throws as `requireRoom` does */
  async hash(password: string, network: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const tag = await this.#derive(password, network, { ...this.#parameters, nonce: salt, tagLength: tagBytes });
    return format(this.#parameters, salt, tag);
  }

  /** Compares a password with a hash. Takes as long if there is no hash. @throws as `requireRoom` does */
  async verify(password: string, hash: string | undefined, network: string): Promise<boolean> {
    const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(hash ?? this.#none) ?? [];
    const right = Buffer.from(tag, 'base64');
    const given = await this.#derive(password, network, {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      nonce: Buffer.from(salt, 'base64'),
      tagLength: right.length,
    });
    return timingSafeEqual(given, right) && hash !== undefined;
  }

  /** True if a hash was made with the parameters of today. */
  isCurrent(hash: string): boolean {
    return hash.startsWith(format(this.#parameters, Buffer.alloc(0), Buffer.alloc(0)).slice(0, -1));
  }

  /** Ends the thread. What waits fails. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #derive(password: string, network: string, options: Omit<Argon2Parameters, 'message'>): Promise<Uint8Array> {
    this.requireRoom(network);
    const thread = (this.#thread ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#waiting.push({ network, resolve, reject });
    // Only a password in hand keeps the process alive, not the thread.
    thread.ref();
    thread.postMessage({ ...options, message: password.normalize('NFC') } satisfies Argon2Parameters);
    return promise;
  }

  #start(): Worker {
    // Beside this file, with its ending: TypeScript from the sources, JavaScript from dist.
    const thread = new Worker(new URL(`./hash-thread${path.extname(import.meta.url)}`, import.meta.url));
    thread.on('message', (tag: Uint8Array) => {
      this.#waiting.shift()?.resolve(tag);
      if (this.#waiting.length === 0) thread.unref();
    });
    const end = (error: Error): void => {
      // An exit follows an error; by then there may be another thread.
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    thread.on('error', end);
    thread.on('exit', () => {
      end(new Error('the thread that hashes passwords has ended'));
    });
    return thread;
  }
}

function format({ memory, passes, parallelism }: HashParameters, salt: Uint8Array, tag: Uint8Array): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}
