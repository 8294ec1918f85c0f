import { type Client, createClient, ProblemError } from '@rolecall/api';
import type { NewKey, StoreLocation } from '@rolecall/server';
import { withData } from '../../server/data/open-data.ts';
import { Sessions } from '../../server/sign-in/sessions.ts';
import { StoreClock } from '../../server/store-clock.ts';

const people = 50;
const connections = 16;
const seconds = 2;

interface WorkspaceParts {
  readonly key: NewKey;
  readonly store: StoreLocation & { environment: Record<string, string> };
  /** Where all data sources lead. */
  readonly configUri: string;
  /** How many statements there will be, each for a person and data source of its own. */
  readonly statements: number;
}

/** People with sessions, and data sources for them, at several replicas in turns. */
export class Workspace {
  readonly #urls: readonly string[];
  readonly #clients: readonly Client[];
  readonly #people: { id: string; token: string }[] = [];
  readonly #dataSources: string[] = [];

  private constructor(urls: readonly string[], { key }: WorkspaceParts) {
    this.#urls = urls;
    this.#clients = urls.map((url) => createClient({ url, keyId: key.id, keySecret: key.secret, connections }));
  }

  static async make(urls: readonly string[], parts: WorkspaceParts): Promise<Workspace> {
    const workspace = new Workspace(urls, parts);
    const ids: string[] = [];
    for (let index = 0; index < people; index += 1) {
      const body = { name: 'Ada Lovelace', username: `ada${index}`, email: `ada${index}@example.com` };
      ids.push((await workspace.#client(index).call('createPerson', { body })).id);
    }
    for (let index = 0; index * people < parts.statements; index += 1) {
      const body = { name: 'Bench', configUri: parts.configUri };
      workspace.#dataSources.push((await workspace.#client(index).call('createDataSource', { body })).id);
    }
    await withData(parts.store, async ({ store, seal, keys }) => {
      const follow = () => keys.follow();
      const sessions = new Sessions({ store, seal, clock: new StoreClock(), follow });
      for (const person of ids) {
        const opening = { person, kind: 'command_line', state: 'whole', factors: ['passkey'] } as const;
        const { token } = await store.write([], (executor) =>
          sessions.open(executor, { ...opening, address: '127.0.0.1', client: 'bench' }),
        );
        workspace.#people.push({ id: person, token });
      }
    });
    return workspace;
  }

  /**
   * Begins the statement with this number, for a person and data source of its own.
   *
   * @param end of the person's access, in milliseconds since 1970
   * @returns the query; undefined if the access was over before it began, on a busy machine, or the store stood still
   */
  async begin(index: number, end: number): Promise<string | undefined> {
    const person = this.#people[index % people];
    if (person === undefined) throw new Error('there is no such person');
    const dataSource = this.#dataSources[Math.floor(index / people)] ?? '';
    const startsAt = new Date(end - 3_600_000).toISOString();
    const params = { dataSource, person: person.id };
    try {
      await this.#client(index).call('createPermission', { params, body: { startsAt, duration: 3600 } });
    } catch (error) {
      if (error instanceof ProblemError && error.status === 503) return undefined;
      throw error;
    }
    const editor = await this.#asPerson(index, `data-source/${dataSource}/editor`);
    const commands = [`select pg_sleep(1000) /* end-${index} */`];
    const query = editor && (await this.#asPerson(index, `editor/${String(editor['id'])}/query`, { commands }));
    return query && String(query['queryId']);
  }

  async cancel(query: string): Promise<void> {
    await this.#client(0).call('cancelQuery', { params: { query } });
  }

  /** Why a query ended, as it is recorded. */
  async reasonOf(query: string): Promise<string> {
    const { detail } = await this.#client(0).call('getQueryResult', { params: { query, resultIndex: '0' } });
    return JSON.stringify(detail);
  }

  /** How many requests with an API key one replica answers in a second. */
  async requestsPerSecond(): Promise<number> {
    const params = { person: this.#people[0]?.id ?? '' };
    const until = performance.now() + seconds * 1000;
    let count = 0;
    const reader = async (): Promise<void> => {
      for (; performance.now() < until; count += 1) await this.#client(0).call('getPerson', { params });
    };
    await Promise.all(Array.from({ length: connections }, reader));
    return count / seconds;
  }

  #client(index: number): Client {
    const client = this.#clients[index % this.#clients.length];
    if (client === undefined) throw new Error('there is no replica');
    return client;
  }

  async #asPerson(index: number, path: string, body?: object): Promise<Record<string, unknown> | undefined> {
    const response = await fetch(`${this.#urls[index % this.#urls.length]}/person/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#people[index % people]?.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 403 || response.status === 503) return undefined;
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}
