import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@rolecall/api';
import type { NewKey } from '@rolecall/server';
import type { BrowserContext } from 'playwright-core';
import { withData } from '../../server/data/open-data.ts';
import { Sessions } from '../../server/sign-in/sessions.ts';
import { StoreClock } from '../../server/store-clock.ts';

interface PersonParts {
  /** Of the service. */
  readonly url: string;
  readonly key: NewKey;
  readonly dataDir: string;
  /** Where their data source leads. */
  readonly configUri: string;
}

/** A person with a session, in their editor. */
export class Person {
  readonly #url: string;
  readonly #tokens: Readonly<Record<'browser' | 'command_line', string>>;
  readonly editor: string;

  private constructor(url: string, tokens: Record<'browser' | 'command_line', string>, editor: string) {
    this.#url = url;
    this.#tokens = tokens;
    this.editor = editor;
  }

  static async make({ url, key, dataDir, configUri }: PersonParts): Promise<Person> {
    const client = createClient({ url, keyId: key.id, keySecret: key.secret });
    const fields = { name: 'Ada Lovelace', username: 'ada', email: 'ada@example.com' };
    const { id } = await client.call('createPerson', { body: fields });
    const source = await client.call('createDataSource', { body: { name: 'Bench', configUri } });
    await client.call('createPermission', {
      params: { dataSource: source.id, person: id },
      body: { duration: 86_400 },
    });
    await client.close();
    const tokens = await openSessions(dataDir, id);
    const { id: editor } = await send(url, tokens.command_line, `data-source/${source.id}/editor`, 'POST');
    return new Person(url, tokens, String(editor));
  }

  async signIn(context: BrowserContext): Promise<void> {
    await context.addCookies([{ name: 'rolecall', value: this.#tokens.browser, url: this.#url }]);
  }

  /** Runs a command to its end. @returns the query */
  async run(command: string): Promise<string> {
    const token = this.#tokens.command_line;
    const { queryId } = await send(this.#url, token, `editor/${this.editor}/query`, 'POST', { commands: [command] });
    const query = String(queryId);
    for (;;) {
      const { completedAt, success } = await send(this.#url, token, `query/${query}`, 'GET');
      if (completedAt !== null && success !== true) throw new Error(`the query ${command.slice(0, 200)} failed`);
      if (completedAt !== null) return query;
      await sleep(100);
    }
  }
}

async function openSessions(dataDir: string, person: string): Promise<Record<'browser' | 'command_line', string>> {
  return withData({ dataDir, environment: {} }, async ({ store, seal, keys }) => {
    const follow = () => keys.follow();
    const sessions = new Sessions({ store, seal, clock: new StoreClock(), follow });
    const open = async (kind: 'browser' | 'command_line') => {
      const opening = {
        person,
        kind,
        state: 'whole',
        factors: ['passkey'],
        address: '127.0.0.1',
        client: 'bench',
      } as const;
      return (await store.write([], (executor) => sessions.open(executor, opening))).token;
    };
    return { browser: await open('browser'), command_line: await open('command_line') };
  });
}

async function send(
  url: string,
  token: string,
  path: string,
  method: 'GET' | 'POST',
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/person/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
