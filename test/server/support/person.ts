import { setTimeout as sleep } from 'node:timers/promises';
import type { PersonAnswerOf, PersonOperationId } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { type SessionOpening, Sessions } from '../../../server/sign-in/sessions.ts';
import { StoreClock } from '../../../server/store-clock.ts';
import type { Answer, Call, TestService } from './service.ts';
import { askStore } from './stores.ts';

/** A person with a session, as their browser or command line sends requests. */
export interface SignedIn {
  readonly token: string;
  readonly session: string;
  /** What each request carries: cookie and token of the page, or the token of the command line. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends one request; the path begins after `/person/v1`. */
  readonly call: (method: string, path: string, call?: Omit<Call, 'key'>) => Promise<Answer>;
  /** The same, where anything but 200 is a failure; gives the body. */
  readonly ok: <Id extends PersonOperationId>(
    operation: Id,
    method: string,
    path: string,
    call?: Omit<Call, 'key'>,
  ) => Promise<PersonAnswerOf<Id>>;
}

/** Opens a session in the store, past every sign-in: for tests of what comes after. Default: a whole one, of a browser. */
export async function signedIn(
  service: TestService,
  person: string,
  opening: Partial<SessionOpening> = {},
): Promise<SignedIn> {
  const { id, token } = await withData(service.store, ({ store, seal, keys }) => {
    const sessions = new Sessions({
      store,
      seal,
      clock: new StoreClock(),
      follow: () => keys.follow(),
    });
    const given = {
      kind: 'browser',
      state: 'whole',
      factors: ['password', 'totp'],
      address: '192.0.2.7',
      client: '',
    } as const;
    return store.write([], (executor) => sessions.open(executor, { person, ...given, ...opening }));
  });
  const headers =
    opening.kind === 'command_line' ? { authorization: `Bearer ${token}` } : await browserHeaders(service, token);
  const call: SignedIn['call'] = (method, path, what) =>
    service.call(method, `/person/v1${path}`, { ...what, key: null, headers: { ...headers, ...what?.headers } });
  return {
    token,
    session: id,
    headers,
    call,
    ok: async (_operation, method, path, what) => {
      const answer = await call(method, path, what);
      if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      // Held to its schema by the service.
      return answer.body as never;
    },
  };
}

/** Lets a session be without a request for so long, and so it is over if that is as long as it may be. */
export async function leaveIdle(service: TestService, session: string, seconds: number): Promise<void> {
  const at = new Date(Date.now() - seconds * 1000).toISOString();
  await askStore(service.store, 'update person_session set last_used_at = $1 where id = $2', [at, session]);
}

/** Waits until the service has written each use of a session so far: a later write would take its idleness away. */
export async function settleUse(service: TestService, { session, call }: SignedIn): Promise<void> {
  await leaveIdle(service, session, 300);
  const left = await lastUse(service, session);
  await call('GET', '/me');
  while ((await lastUse(service, session)) === left) await sleep(50);
}

async function lastUse(service: TestService, session: string): Promise<unknown> {
  const [row] = await askStore(service.store, 'select last_used_at from person_session where id = $1', [session]);
  return row?.['last_used_at'];
}

/** What the page of the service sends. */
async function browserHeaders(service: TestService, token: string): Promise<Record<string, string>> {
  const cookie = `rolecall=${token}`;
  const me = await fetch(`${service.url}/person/v1/me`, { headers: { cookie } });
  const { csrfToken } = (await me.json()) as { csrfToken: string };
  return { cookie, 'rolecall-csrf': csrfToken, origin: service.url, 'sec-fetch-site': 'same-origin' };
}
