/** Lets each of many callers do something at a rate, and after a pause several times at once (token bucket). */
export interface TokenBuckets {
  /** The seconds until there is a token; 0 where there is one. */
  wait(key: string): number;
  /** Takes a token, also one that is not there yet. */
  take(key: string): void;
  giveBack(key: string): void;
}

export interface TokenBucketsOptions {
  /** Tokens a second that come back. */
  readonly rate: number;
  /** The most that are there, and the most that are owed. */
  readonly burst: number;
  /** How many callers are remembered; the one that came first is forgotten, and has all its tokens again. */
  readonly most: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

export function createTokenBuckets({ rate, burst, most, now }: TokenBucketsOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>();

  function find(key: string): Bucket {
    const at = now();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      if (buckets.size >= most) forgetOldest();
      bucket = { tokens: burst, at };
      buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * rate);
    bucket.at = at;
    return bucket;
  }

  function forgetOldest(): void {
    const [oldest] = buckets.keys();
    if (oldest !== undefined) buckets.delete(oldest);
  }

  return {
    wait: (key) => {
      const { tokens } = find(key);
      return tokens >= 1 ? 0 : (1 - tokens) / rate;
    },
    take: (key) => {
      const bucket = find(key);
      bucket.tokens = Math.max(-burst, bucket.tokens - 1);
    },
    giveBack: (key) => {
      const bucket = find(key);
      bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
}
