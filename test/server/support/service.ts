import { after } from 'node:test';
import { type Scope, scopes } from '@rolecall/api';
import { type NewKey, type Service, type ServiceOptions, startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { createKeys, fillDataDir } from '../../support/new-store.ts';
import { newStore, type TestStore, temporaryFolder } from './stores.ts';

export { temporaryFolder } from './stores.ts';

export interface Call {
  /** Default: the admin key; null sends no Authorization at all. */
  key?: { id: string; secret: string } | null;
  form?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface ServiceCalls {
  readonly url: string;
  /** Sends one request; the path begins after `/api/v2`, unless it is one of the person's API. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** The same, where anything but 200 is a failure; gives the body. */
  ok<T = Record<string, unknown>>(method: string, path: string, call?: Call): Promise<T>;
}

export interface TestService extends Service, ServiceCalls {
  /** Where its store is, and what else opens that. */
  store: TestStore;
  /** A temporary folder: the data folder, where the store is in one. */
  dataDir: string;
  keys: Readonly<Record<Scope, NewKey>>;
}

/** So that hashing takes no time. `password-hash.test.ts` holds what a real service takes. */
const passwordCost = { memory: 8, passes: 1 };

/**
 * Starts the service on an empty store of the kind that the tests run over, each answer held to its schema; closed after
 * the tests of the file.
 *
 * @param options may name a store that is there
 */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const { dataDir, databaseUrl, environment = {} } = options;
  const isNew = dataDir === undefined && databaseUrl === undefined;
  const store = isNew ? await newStore() : { dataDir, databaseUrl, environment };
  const keys =
    isNew && store.dataDir !== undefined ? await fillDataDir(store.dataDir, scopes) : await createKeys(store, scopes);
  const service = await startService({ checkAnswers: true, passwordCost, ...onThisMachine, ...options, ...store });
  after(() => service.close());
  const calls = callsTo(service.url, keys.admin);
  return { ...service, ...calls, store, dataDir: store.dataDir ?? (await temporaryFolder()), keys };
}

/** How tests call a service. @param key is sent by default */
export function callsTo(url: string, key: NewKey): ServiceCalls {
  const call: ServiceCalls['call'] = (method, where, what) => send(url, method, where, { key, ...what });
  return {
    url,
    call,
    ok: async <T>(method: string, where: string, what?: Call) => {
      const answer = await call(method, where, what);
      if (answer.status !== 200) throw new Error(`${method} ${where} answered ${answer.status}: ${answer.text}`);
      return answer.body as T;
    },
  };
}

export function basic({ id, secret }: { id: string; secret: string }): string {
  return `Basic ${Buffer.from(`${id}@api:${secret}`).toString('base64')}`;
}

async function send(url: string, method: string, where: string, call: Call): Promise<Answer> {
  const headers = new Headers();
  if (call.key) headers.set('authorization', basic(call.key));
  let body: string | Uint8Array<ArrayBuffer> | null = null;
  if (call.form !== undefined) {
    headers.set('content-type', 'application/x-www-form-urlencoded');
    body = new URLSearchParams(call.form).toString();
  } else if (call.json !== undefined) {
    headers.set('content-type', 'application/json');
    body = JSON.stringify(call.json);
  } else if (call.body !== undefined) {
    body = typeof call.body === 'string' ? call.body : new Uint8Array(call.body);
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
  const isWhole = where.startsWith('/api/') || where.startsWith('/person/v1/') || !where.startsWith('/');
  const root = isWhole ? '' : '/api/v2';
  const response = await fetch(`${url}${root}${where}`, { method, headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
