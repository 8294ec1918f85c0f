import { isNotOffered, type KnownAnswer, type Snapshot } from '@rolecall/api';
import { PasswordComparisons } from './password-comparisons.ts';
import { SnapshotLists } from './snapshot-lists.ts';
import type { Caller, Needs } from './view.ts';

/** Reads the whole workspace in one call, where the service has that call. */
export class SnapshotReader {
  /** The service's answers about passwords: the answer to a comparison is a snapshot. */
  readonly comparisons: PasswordComparisons;
  readonly #client: Caller;
  readonly #isWanted: boolean;
  #needs: Needs = { snippets: false, passwords: new Map() };
  #reading: Promise<SnapshotLists | undefined> | undefined;
  #lists: SnapshotLists | undefined;
  #tag: string | undefined;
  #previousAnswer: KnownAnswer<Snapshot> | undefined;

  /** @param isWanted whether to ask the service for a snapshot */
  constructor(client: Caller, isWanted: boolean, comparisons = new PasswordComparisons()) {
    this.#client = client;
    this.#isWanted = isWanted;
    this.comparisons = comparisons;
  }

  /** The snapshot, once it was read. */
  get lists(): SnapshotLists | undefined {
    return this.#lists;
  }

  expect(needs: Needs): void {
    this.#needs = needs;
  }

  /** Once for all readings. @returns undefined where the service has no snapshot, or it is not wanted */
  async read(): Promise<SnapshotLists | undefined> {
    if (!this.#isWanted) return undefined;
    this.#reading ??= this.#call().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  /** Compares passwords, by alias, with those that the service has. Keeps only the answers to that. */
  async compare(passwords: ReadonlyMap<string, string>): Promise<void> {
    await this.#callComparison(passwords, {});
  }

  /** Another reader, to which the service says by ETag whether the snapshot is still the same. */
  renew(snippets: boolean): SnapshotReader {
    const next = new SnapshotReader(this.#client, this.#isWanted, new PasswordComparisons(this.comparisons));
    next.#needs = { snippets, passwords: new Map() };
    const snapshot = this.#lists?.snapshot;
    if (snapshot !== undefined && (snapshot.snippets !== undefined) === snippets && this.#tag !== undefined) {
      next.#previousAnswer = { tag: this.#tag, answer: snapshot };
    }
    return next;
  }

  async #call(): Promise<SnapshotLists | undefined> {
    const { snippets, passwords, declaredBy } = this.#needs;
    const include = { ...(snippets ? ({ include: 'snippets' } as const) : {}), ...(declaredBy && { declaredBy }) };
    const onTag = (tag: string): void => {
      this.#tag = tag;
    };
    try {
      const answer =
        passwords.size > 0
          ? await this.#callComparison(passwords, include, onTag)
          : await this.#client.call('readSnapshot', { query: include }, { cachedAnswer: this.#previousAnswer, onTag });
      return (this.#lists = new SnapshotLists(answer));
    } catch (error) {
      if (!isWithoutSnapshots(error)) throw error;
      return undefined;
    }
  }

  async #callComparison(
    passwords: ReadonlyMap<string, string>,
    include: { include?: 'snippets'; declaredBy?: string },
    onTag?: (tag: string) => void,
  ): Promise<Snapshot> {
    const { body, take } = this.comparisons.request(passwords);
    const answer = await this.#client.call('compareSnapshot', { body: { ...body, ...include } }, { onTag });
    take(answer);
    return answer;
  }
}

/** A service of the specification does not know the call, and a key that is limited to data sources may not make it. */
function isWithoutSnapshots(error: unknown): boolean {
  // A front end may have explained the error of the client.
  const { cause } = error instanceof Error ? error : {};
  return [error, cause].some(isNotOffered);
}
