import { ProblemError, readConnectionUri } from '@rolecall/api';
import type { SnapshotReader } from './snapshot-reader.ts';
import type { Caller } from './view.ts';

/** The known passwords of data sources. Where none is known, the service compares it. */
export class Passwords {
  readonly #client: Caller;
  readonly #snapshot: SnapshotReader;
  readonly #aliasOf: (dataSource: string) => Promise<string | null | undefined>;
  /** By the id of the data source: from its detail, or since this process has set them. */
  readonly #passwords = new Map<string, string | undefined>();
  /** To be compared in the next turn, by alias. */
  readonly #unexpected = new Map<string, string>();
  #comparing: Promise<void> | undefined;

  constructor(
    client: Caller,
    snapshot: SnapshotReader,
    aliasOf: (dataSource: string) => Promise<string | null | undefined>,
  ) {
    this.#client = client;
    this.#snapshot = snapshot;
    this.#aliasOf = aliasOf;
  }

  /** The data sources whose password is known. */
  ids(): string[] {
    return [...this.#passwords.keys()];
  }

  /** @param password undefined: it has none */
  know(dataSource: string, password: string | undefined): void {
    this.#passwords.set(dataSource, password);
  }

  /** Knows a password that was just written, and forgets what the service answered about the one before. */
  set(dataSource: string, password: string | undefined): void {
    this.know(dataSource, password);
    this.#snapshot.comparisons.forget(dataSource);
  }

  handOn(next: Passwords, dataSources: readonly string[]): void {
    for (const id of dataSources) if (this.#passwords.has(id)) next.know(id, this.#passwords.get(id));
  }

  /** True if a data source, whose connection was read, has this password; undefined if the service does not say. */
  async matches(dataSource: string, password: string): Promise<boolean | undefined> {
    if (this.#passwords.has(dataSource)) return this.#passwords.get(dataSource) === password;
    const { comparisons } = this.#snapshot;
    const find = () => comparisons.find(dataSource, password, this.#snapshot.lists?.passwordFingerprint(dataSource));
    if (find() === undefined) await this.#compare(dataSource, password);
    return find()?.matches ?? this.#matchesDetail(dataSource, password);
  }

  /** Reads a password with a call of its own. */
  async ofDetail(dataSource: string): Promise<string | undefined> {
    const { configUri } = await this.#client.call('getDataSourceDetail', { params: { dataSource } });
    return readConnectionUri(configUri).password;
  }

  /** Compares a password that was not expected. */
  async #compare(dataSource: string, password: string): Promise<void> {
    const alias = await this.#aliasOf(dataSource);
    if (alias === undefined || alias === null) return;
    this.#unexpected.set(alias, password);
    // One call for all that are asked for in this turn.
    this.#comparing ??= new Promise((resolve) => setImmediate(resolve)).then(async () => {
      const passwords = new Map(this.#unexpected);
      this.#unexpected.clear();
      this.#comparing = undefined;
      await this.#snapshot.compare(passwords);
    });
    await this.#comparing;
  }

  /** Compares a password where the service does not: a key that may read the password can do so itself. */
  async #matchesDetail(dataSource: string, password: string): Promise<boolean | undefined> {
    try {
      return (await this.ofDetail(dataSource)) === password;
    } catch (error) {
      if (error instanceof ProblemError && error.kind === 'scope') return undefined;
      throw error;
    }
  }
}
