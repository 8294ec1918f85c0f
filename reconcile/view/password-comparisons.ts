import { createHmac, randomBytes } from 'node:crypto';
import { mostComparisons, type Snapshot, type SnapshotComparison } from '@rolecall/api';

/** A result that counts as long as the data source has the password that it had then. */
interface Compared {
  readonly digestOf: (password: string) => string;
  readonly digest: string;
  readonly fingerprint: string | null;
  /** Undefined where the service did not say. */
  readonly matches: boolean | undefined;
}

/** The service's answers to comparisons of passwords with its own. It gets digests, under a key that is new each time. */
export class PasswordComparisons {
  /** By the id of the data source. */
  readonly #results = new Map<string, Compared>();

  /** Takes over what another one knows. What the service did not say is asked again. */
  constructor(predecessor?: PasswordComparisons) {
    for (const [id, result] of predecessor?.results() ?? [])
      if (result.matches !== undefined) this.#results.set(id, result);
  }

  results(): Iterable<[string, Compared]> {
    return this.#results;
  }

  /**
   * Makes the request that compares passwords, and what takes in its answer.
   *
   * @param passwords by alias; no more than one request may compare are taken
   */
  request(passwords: ReadonlyMap<string, string>): {
    body: Pick<SnapshotComparison, 'key' | 'passwords'>;
    take: (answer: Snapshot) => void;
  } {
    const key = randomBytes(32);
    const digestOf = (password: string): string => createHmac('sha256', key).update(password).digest('base64url');
    const digests = new Map(
      [...passwords].slice(0, mostComparisons).map(([alias, password]) => [alias, digestOf(password)]),
    );
    return {
      body: { key: key.toString('base64url'), passwords: Object.fromEntries(digests) },
      take: ({ dataSources }) => {
        for (const { id, alias, passwordMatches, passwordFingerprint: fingerprint } of dataSources) {
          const digest = digests.get(alias ?? '');
          if (digest === undefined) continue;
          this.#results.set(id, { digestOf, digest, fingerprint, matches: passwordMatches ?? undefined });
        }
      },
    };
  }

  /**
   * @param fingerprint of the password that the data source has now
   * @returns undefined where this password was not compared with that one
   */
  find(
    dataSource: string,
    password: string,
    fingerprint: string | null | undefined,
  ): Pick<Compared, 'matches'> | undefined {
    const result = this.#results.get(dataSource);
    if (result === undefined || result.fingerprint !== fingerprint) return undefined;
    return result.digestOf(password) === result.digest ? result : undefined;
  }

  forget(dataSource: string): void {
    this.#results.delete(dataSource);
  }
}
