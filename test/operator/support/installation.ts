import type { Client } from '@rolecall/api';
import {
  type About,
  connectionOf,
  HttpSession,
  type OperatorOptions,
  runOperator,
  systemClock,
} from '@rolecall/operator';
import type { KubeSession, SessionOptions } from '../../../operator/runtime/session.ts';
import {
  type AdminClient,
  adminClient,
  ask,
  installKinds,
  type KubeObject,
  until,
} from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { type FaultProxy, startFaultProxy } from '../../support/kubernetes/fault-proxy.ts';
import { readAudit } from './audit.ts';
import { MemoryApiserver } from './memory-apiserver.ts';
import { type Faults, MemoryConnection } from './memory-session.ts';
import { makeServiceAccount, type ServiceAccount } from './service-account.ts';
import { startWorkspace, type TestWorkspace } from './workspace.ts';

/** An API server, a real service, and what it takes to try an operator between them. */
export interface Installation {
  readonly proxy: Faults;
  readonly kube: AdminClient;
  /** The service, for those who look whether something really happened. */
  readonly service: Client;
  readonly workspace: TestWorkspace;
  /**
   * Makes a namespace with a Workspace and its key.
   *
   * @param spec of the Workspace, besides its address and key
   * @param workspace default: the one of the installation
   */
  readonly namespace: (spec?: Record<string, unknown>, workspace?: TestWorkspace) => Promise<Namespace>;
  /** Starts an operator; the promise of its end is what `runOperator` gives. */
  readonly operate: (more?: Partial<OperatorOptions>, ping?: SessionOptions['ping']) => Promise<Operating>;
  readonly stop: () => Promise<void>;
}

/** An installation on an API server in memory. */
export interface MemoryInstallation extends Installation {
  readonly server: MemoryApiserver;
}

/** An installation on a real kube-apiserver. */
export interface Cluster extends Installation {
  readonly server: Apiserver;
  readonly proxy: FaultProxy;
  /** As whom the operator comes: with the rights of the manifests, and no others. */
  readonly account: ServiceAccount;
  /**
   * @param expected which refusals are no mistake
   * @throws when the operator was refused anything for want of a right
   */
  readonly stop: (expected?: RegExp) => Promise<void>;
}

export interface Operating {
  readonly stop: () => Promise<void>;
  readonly ended: Promise<'stopped' | 'lost'>;
  readonly log: readonly string[];
  /** Those of the log that are warnings. */
  readonly warnings: readonly string[];
  /** What the steps that it made were about, in order. */
  readonly steps: readonly About[];
}

export interface Namespace {
  readonly name: string;
  readonly create: (
    kind: string,
    name: string,
    spec: Record<string, unknown>,
    annotations?: Record<string, string>,
  ) => Promise<KubeObject>;
  readonly patch: (kind: string, name: string, body: object) => Promise<KubeObject>;
  readonly remove: (kind: string, name: string) => Promise<void>;
  readonly get: (kind: string, name: string) => Promise<KubeObject | undefined>;
  /** Waits until the condition Ready has this reason, and gives its message. */
  readonly reason: (kind: string, name: string, reason: string) => Promise<string>;
  readonly gone: (kind: string, name: string) => Promise<void>;
}

export interface ConditionSeen {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

const plurals: Readonly<Record<string, string>> = {
  Workspace: 'workspaces',
  DataSource: 'datasources',
  Person: 'people',
  Role: 'roles',
  RoleMembership: 'rolememberships',
  Permission: 'permissions',
  Snippet: 'snippets',
};

const merge = 'application/merge-patch+json';

/** Starts an installation on an API server in memory: it takes no time, and checks neither rights nor schemas. */
export async function startInstallation(): Promise<MemoryInstallation> {
  const workspace = await startWorkspace();
  const server = new MemoryApiserver();
  const proxy = new MemoryConnection(server);
  const kube = server.admin();
  return {
    ...{ server, proxy, kube, workspace, service: workspace.client },
    namespace: namespaceMaker(kube, workspace),
    operate: (more = {}) => Promise.resolve(operate(proxy.session(more.metrics?.answered), more)),
    stop: workspace.stop,
  };
}

/** Starts an installation on a real kube-apiserver, with the kinds installed and an account with the operator's rights. */
export async function startCluster(): Promise<Cluster> {
  // Not side by side: the proxy of the one could take the port that was found for the other, and would be left open by its failure.
  const server = await startApiserver({ audit: true });
  const workspace = await startWorkspace();
  const kube = adminClient(server);
  const proxy = await startFaultProxy(server);
  await installKinds(kube);
  const account = await makeServiceAccount(kube);
  return {
    ...{ server, proxy, account, kube, workspace, service: workspace.client },
    namespace: namespaceMaker(kube, workspace, account.admit),
    async operate(more = {}, ping) {
      const connection = await connectionOf(server.kubeconfigAt(proxy.url, account.token));
      const session = new HttpSession({
        connection,
        clock: systemClock,
        userAgent: 'rolecall-test',
        ...(ping === undefined ? {} : { ping }),
        ...(more.metrics === undefined ? {} : { onAnswer: more.metrics.answered, onPing: more.metrics.contact.heard }),
      });
      return operate(session, more);
    },
    async stop(expected) {
      const refused = (await refusals(server, account)).filter((one) => expected?.test(one) !== true);
      await proxy.stop();
      await kube[Symbol.asyncDispose]();
      await workspace.stop();
      await server.stop();
      if (refused.length > 0) throw new Error(`the operator lacks rights:\n${refused.join('\n')}`);
    },
  };
}

function namespaceMaker(kube: AdminClient, ofAll: TestWorkspace, admit?: ServiceAccount['admit']) {
  let count = 0;
  return async (spec: Record<string, unknown> = {}, { key, proxy: { url } } = ofAll): Promise<Namespace> => {
    count += 1;
    const name = `team-${count}`;
    await ask(kube, 'POST', '/api/v1/namespaces', { metadata: { name } });
    await admit?.(name);
    const stringData = { id: key.id, secret: key.secret };
    await ask(kube, 'POST', `/api/v1/namespaces/${name}/secrets`, { metadata: { name: 'rolecall-key' }, stringData });
    const namespace = inNamespace(kube, name);
    const credentialsFrom = { secretKeyRef: { name: 'rolecall-key' } };
    await namespace.create('Workspace', 'workspace', { url, credentialsFrom, ...spec });
    return namespace;
  };
}

function operate(session: KubeSession, more: Partial<OperatorOptions>): Operating {
  const stop = new AbortController();
  const [log, warnings, steps]: [string[], string[], About[]] = [[], [], []];
  const options: OperatorOptions = {
    session,
    clock: systemClock,
    driftMs: 3_600_000,
    log: (level, message, about) => {
      log.push(message);
      if (level === 'warn') warnings.push(message);
      else if (about !== undefined) steps.push(about);
    },
    ...more,
  };
  const ended = runOperator(options, stop.signal).finally(() => session[Symbol.asyncDispose]());
  return {
    log,
    warnings,
    steps,
    ended,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function refusals({ auditLog = '' }: Apiserver, { username }: ServiceAccount): Promise<string[]> {
  const all = await readAudit(auditLog, username);
  return all
    .filter(({ responseStatus }) => responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

function inNamespace(kube: AdminClient, namespace: string): Namespace {
  const place = (kind: string, name = ''): string =>
    `/apis/rolecall.dev/v1alpha1/namespaces/${namespace}/${plurals[kind] ?? ''}${name === '' ? '' : `/${name}`}`;
  const get = async (kind: string, name: string): Promise<KubeObject | undefined> => {
    const { status, body } = await kube.call('GET', place(kind, name));
    return status === 404 ? undefined : body;
  };
  return {
    name: namespace,
    get,
    create: (kind, name, spec, annotations = {}) =>
      ask(kube, 'POST', place(kind), {
        apiVersion: 'rolecall.dev/v1alpha1',
        kind,
        metadata: { name, annotations },
        spec,
      }),
    patch: (kind, name, body) => ask(kube, 'PATCH', place(kind, name), body, merge),
    remove: async (kind, name) => {
      await ask(kube, 'DELETE', place(kind, name));
    },
    async reason(kind, name, reason) {
      let last: ConditionSeen | undefined;
      await until(async () => {
        const object = await get(kind, name);
        last = readyOf(object);
        return last?.reason === reason && last.observedGeneration === object?.metadata.generation;
      }, `${kind}/${name} with the reason ${reason}`).catch((error: unknown) => {
        throw new Error(`the last that was seen: ${JSON.stringify(last)}`, { cause: error });
      });
      return last?.message ?? '';
    },
    gone: (kind, name) => until(async () => (await get(kind, name)) === undefined, `the end of ${kind}/${name}`),
  };
}

export function readyOf(object: KubeObject | undefined): ConditionSeen | undefined {
  const conditions = (object?.status?.['conditions'] ?? []) as ConditionSeen[];
  return conditions.find(({ type }) => type === 'Ready');
}
