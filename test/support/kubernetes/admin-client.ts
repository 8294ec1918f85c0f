import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import type { Apiserver } from './apiserver.ts';

/** An object of Kubernetes as its API writes it; a test reads the fields that it wants. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface Answer<T = KubeObject> {
  readonly status: number;
  readonly body: T;
}

/** Calls the API server as its administrator. Nothing is hidden: neither repeats nor errors. */
export interface AdminClient extends AsyncDisposable {
  /** @param contentType of the body; patches say by it what they are */
  readonly call: <T = KubeObject>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    contentType?: string,
  ) => Promise<Answer<T>>;
}

const manifests = path.resolve(import.meta.dirname, '../../../crds/manifests');

/** Where the objects of a kind of Rolecall are. */
export function kindPath(plural: string, name = '', namespace = 'default'): string {
  return `/apis/rolecall.dev/v1alpha1/namespaces/${namespace}/${plural}${name === '' ? '' : `/${name}`}`;
}

/** Opens a client of a server of its own; `url` goes through a proxy. */
export function adminClient({ url, ca, token }: Pick<Apiserver, 'url' | 'ca' | 'token'>): AdminClient {
  const dispatcher = new Agent({ connect: { ca } });
  return {
    call: async (method, place, body, contentType = 'application/json') => {
      const answer = await request(`${url}${place}`, {
        method,
        dispatcher,
        headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      // What the server answers is what the test says it expects.
      return { status: answer.statusCode, body: parseAnswer(text) as never };
    },
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}

/** Not everything is JSON: some refusals are a line of text. */
function parseAnswer(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text;
}

/** Calls, and throws what the server said where it refused. */
export async function ask<T = KubeObject>(client: AdminClient, ...args: Parameters<AdminClient['call']>): Promise<T> {
  const { status, body } = await client.call<T & { message?: string }>(...args);
  if (status < 300) return body;
  throw new Error(`${args[0]} ${args[1]} was answered with ${status}: ${body.message ?? JSON.stringify(body)}`);
}

/** Installs the CustomResourceDefinitions that are committed, and waits until their kinds are served. */
export async function installKinds(client: AdminClient): Promise<void> {
  const names = await readdir(manifests);
  const texts = await Promise.all(names.map((file) => readFile(path.join(manifests, file), 'utf8')));
  await applyKinds(
    client,
    texts.map((text) => parse(text) as KubeObject),
  );
}

/** Installs or upgrades CustomResourceDefinitions, as `kubectl apply --server-side` does, and waits until their kinds are served. */
export async function applyKinds(client: AdminClient, kinds: readonly KubeObject[]): Promise<void> {
  const all = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const names = kinds.map(({ metadata }) => metadata.name);
  for (const kind of kinds) {
    const place = `${all}/${kind.metadata.name}?fieldManager=tests&force=true`;
    await ask(client, 'PATCH', place, kind, 'application/apply-patch+yaml');
  }
  for (const name of names) {
    await until(async () => {
      const { status } = await ask<{ status?: { conditions?: { type: string; status: string }[] } }>(
        client,
        'GET',
        `${all}/${name}`,
      );
      return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
    });
    const [plural = ''] = name.split('.');
    await until(async () => (await client.call('GET', kindPath(plural))).status === 200);
  }
}

/**
 * Waits until what kubectl asks knows the installed kinds, too: discovery for `get rolecall`, the OpenAPI document for `explain`.
 * The API server publishes both some time after it serves the kinds.
 */
export async function untilExplained(client: AdminClient): Promise<void> {
  const version = 'apis/rolecall.dev/v1alpha1';
  const { resources } = await ask<{ resources: { kind: string; name: string }[] }>(client, 'GET', `/${version}`);
  const kinds = resources.filter(({ name }) => !name.includes('/')).map(({ kind }) => kind);
  const isTold = async (place: string): Promise<boolean> => {
    const { status, body } = await client.call<unknown>('GET', place);
    return status === 200 && kinds.every((kind) => JSON.stringify(body).includes(`"kind":"${kind}"`));
  };
  for (const place of [`/${version}`, `/openapi/v3/${version}`]) await until(() => isTold(place), place);
}

const patienceMs = 60_000;

/** Waits until something holds. A time this long only ends a test that would never end. */
export async function until(holds: () => Promise<boolean> | boolean, what = 'what was waited for'): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} did not come about within ${patienceMs / 1000} s`);
    await sleep(20);
  }
}
