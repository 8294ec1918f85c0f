import { createHmac, timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseConnectionUri, type SnapshotComparison } from '@rolecall/api';
import { TokenBuckets } from '../http/limits/rate-limits.ts';
import type { Seal } from '../secrets/seal.ts';
import type { SealedDataSource } from '../store/data-source.ts';
import type { Page } from '../store/pages.ts';
import { sealedDataSourcePages } from '../store/snapshot.ts';
import type { StoreSnapshot } from '../store/store.ts';

/**
 * Comparisons that may be wrong: ten times for a key and a data source, sixty times for a data source with any keys.
 * One try comes back every ten minutes, or every minute.
 */
export const comparisonLimits = { key: { burst: 10, rate: 1 / 600 }, dataSource: { burst: 60, rate: 1 / 60 } };

/** Pairs of key and data source that are remembered. */
const mostRemembered = 100_000;

/** Compares passwords that clients have sent digests of with those of data sources, and slows down guessing. */
export class PasswordComparison {
  readonly #ofKey: TokenBuckets;
  readonly #ofDataSource: TokenBuckets;

  /** @param now milliseconds of a clock that is never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#ofKey = new TokenBuckets({ ...comparisonLimits.key, most: mostRemembered, now });
    this.#ofDataSource = new TokenBuckets({ ...comparisonLimits.dataSource, most: mostRemembered, now });
  }

  /**
   * @param keyId the API key that asks
   * @returns by the id of the data source: whether it matches, null where there were too many wrong ones; and the data sources
   *   whose password is another one, which are to be recorded
   */
  async compare(
    { key, passwords }: Pick<SnapshotComparison, 'key' | 'passwords'>,
    { snapshot, seal, keyId }: { snapshot: StoreSnapshot; seal: Seal; keyId: string },
  ): Promise<{ matches: Map<string, boolean | null>; wrong: SealedDataSource[] }> {
    const digests = new Map(Object.entries(passwords));
    const hmacKey = Buffer.from(key, 'base64url');
    const matches = new Map<string, boolean | null>();
    const wrong: SealedDataSource[] = [];
    const compareOne = (source: SealedDataSource): void => {
      const digest = source.alias === null ? undefined : digests.get(source.alias);
      if (digest === undefined) return;
      const pair = `${keyId} ${source.id}`;
      if (this.#ofKey.wait(pair) > 0 || this.#ofDataSource.wait(source.id) > 0) {
        matches.set(source.id, null);
        return;
      }
      const { password } = parseConnectionUri(seal.open(source.sealedUri, source.id));
      const isMatch = password !== undefined && isDigestOf(password, hmacKey, digest);
      matches.set(source.id, isMatch);
      if (isMatch) return;
      this.#ofKey.take(pair);
      this.#ofDataSource.take(source.id);
      wrong.push(source);
    };
    if (digests.size === 0) return { matches, wrong };
    for (let after: number | undefined = sealedDataSourcePages.start; after !== undefined; ) {
      const from: number = after;
      const { rows, next }: Page<SealedDataSource> = await snapshot.read((executor) =>
        sealedDataSourcePages.read(executor, from),
      );
      for (const source of rows) compareOne(source);
      after = next;
      await nextTurn();
    }
    return { matches, wrong };
  }
}

function isDigestOf(password: string, key: Buffer, digest: string): boolean {
  const expected = createHmac('sha256', key).update(password).digest();
  const given = Buffer.from(digest, 'base64url');
  return expected.length === given.length && timingSafeEqual(expected, given);
}
