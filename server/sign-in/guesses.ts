import { networkOf } from '../http/connections.ts';
import { TokenBuckets, tooManyRequests } from '../http/limits/rate-limits.ts';
import { Refusal } from '../refusal.ts';

/** Guess, and the address that it comes from. Whom a callback of a provider is about is not known before it was checked. */
export type Guess = { readonly address: string } & (FactorGuess | { readonly what: 'callback' });

interface FactorGuess {
  readonly what: 'password' | 'code';
  /** The username as it was given, or the person's id. */
  readonly name: string;
  /** A browser in which this person has signed in before, or the session; undefined for an unknown one. */
  readonly device: string | undefined;
}

/** Guesses that are open at once, and the number that come back each second. */
const limits = {
  network: { burst: 100, rate: 1 },
  pair: { burst: 10, rate: 1 / 30 },
  password: { burst: 100, rate: 1 / 6 },
  // A code has 10^6 values, of which three are right: at this rate, one chance in a thousand a day.
  code: { burst: 10, rate: 1 / 300 },
  passwordOnDevice: { burst: 10, rate: 1 / 30 },
  codeOnDevice: { burst: 10, rate: 1 / 300 },
};

/** Names, networks and devices that are remembered, of each. */
const most = 10_000;

/**
 * Slows down guessing: by network, by network and person, and by person. A browser in which the person has signed in before
 * has a share of its own, so that no one who guesses from elsewhere keeps them out.
 */
export class Guesses {
  readonly #buckets: Readonly<Record<keyof typeof limits, TokenBuckets>>;
  readonly #refused: () => void;

  constructor({ now, refused }: { now: () => number; refused: () => void }) {
    const make = (of: keyof typeof limits) => new TokenBuckets({ ...limits[of], most, now });
    this.#refused = refused;
    this.#buckets = {
      network: make('network'),
      pair: make('pair'),
      password: make('password'),
      code: make('code'),
      passwordOnDevice: make('passwordOnDevice'),
      codeOnDevice: make('codeOnDevice'),
    };
  }

  /**
   * Checks a guess, unless too many were wrong.
   *
   * @param unchecked called if it is not checked
   * @throws Refusal too_many_requests, which does not say whether the guess would have been right; or what `check` throws
   */
  async attempt<T>(guess: Guess, check: () => Promise<T>, unchecked: () => void): Promise<T> {
    const shares = this.#sharesOf(guess);
    const wait = Math.max(...shares.map(([bucket, key]) => bucket.wait(key)));
    if (wait > 0) {
      this.#refused();
      unchecked();
      throw tooManyRequests('there were too many wrong attempts to sign in', wait);
    }
    // Taken before the check: otherwise parallel guesses would all be checked before the first is found wrong.
    for (const [bucket, key] of shares) bucket.take(key);
    const giveBack = (): void => {
      for (const [bucket, key] of shares) bucket.giveBack(key);
    };
    try {
      const outcome = await check();
      giveBack();
      return outcome;
    } catch (error) {
      // Counts only wrong guesses, not an overload or a failure of the store.
      if (!(error instanceof Refusal) || error.code !== 'sign_in_refused') giveBack();
      throw error;
    }
  }

  #sharesOf({ address, ...guess }: Guess): [TokenBuckets, string][] {
    const network = networkOf(address);
    if (guess.what === 'callback') return [[this.#buckets.network, network]];
    const { what, name, device } = guess;
    if (device !== undefined) return [[this.#buckets[`${what}OnDevice`], `${name} ${device}`]];
    return [
      [this.#buckets.network, network],
      [this.#buckets.pair, `${what} ${network} ${name}`],
      [this.#buckets[what], name],
    ];
  }
}
