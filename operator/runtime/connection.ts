/** Finds the way to an API server: the service account of a pod, or a kubeconfig. */

import { existsSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';

/** The address of an API server, and the credentials for it. */
export interface Connection {
  /** Such as `https://10.0.0.1:443`. */
  readonly url: string;
  readonly tls: {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** The Authorization header of this moment; tokens are renewed. */
  readonly authorization: () => Promise<string | undefined>;
  /** The namespace that the pod or the kubeconfig's context is in. */
  readonly namespace: string;
  /** True if it was made with the service account of a pod. */
  readonly isPod?: boolean;
}

/** There is no way to an API server. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  readonly code = 'ERR_KUBERNETES_CONNECTION';
}

/** The folder in which Kubernetes puts a pod's service account (Kubernetes documentation, "Accessing the API from a Pod"). */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The time after which a token is read again; files are renewed long before their tokens end. */
const tokenLifeMs = 10_000;

/**
 * Finds the API server: the kubeconfig that is named, or KUBECONFIG, or the pod's service account, or ~/.kube/config.
 *
 * @throws ConnectionError
 */
export async function findConnection(
  options: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  environment: NodeJS.ProcessEnv,
): Promise<Connection> {
  const named = options.kubeconfig ?? environment['KUBECONFIG'];
  const isNamed = named !== undefined && named !== '';
  if (!isNamed && options.context === undefined) {
    const inside = podConnection(environment);
    if (inside !== undefined) return inside;
  }
  return readKubeconfig((kubeconfig) => {
    if (options.kubeconfig !== undefined) kubeconfig.loadFromFile(options.kubeconfig);
    else kubeconfig.loadFromDefault();
    if (options.context !== undefined) kubeconfig.setCurrentContext(options.context);
  });
}

/** Reads a kubeconfig from its text. */
export function connectionOf(text: string): Promise<Connection> {
  return readKubeconfig((kubeconfig) => {
    kubeconfig.loadFromString(text);
  });
}

/** The connection of a pod; undefined outside a pod. */
function podConnection(environment: NodeJS.ProcessEnv): Connection | undefined {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const tokenFile = path.join(serviceAccount, 'token');
  if (host === undefined || host === '' || !existsSync(tokenFile)) return undefined;
  return {
    url: `https://${isIPv6(host) ? `[${host}]` : host}:${environment['KUBERNETES_SERVICE_PORT'] ?? '443'}`,
    tls: { ca: readFileSync(path.join(serviceAccount, 'ca.crt')) },
    authorization: remembered(() => Promise.resolve(`Bearer ${readFileSync(tokenFile, 'utf8').trim()}`)),
    namespace: readFileSync(path.join(serviceAccount, 'namespace'), 'utf8').trim(),
    isPod: true,
  };
}

/** The library is loaded only for a kubeconfig: it takes 85 MB, which a pod does without. */
async function readKubeconfig(load: (kubeconfig: KubeConfig) => void): Promise<Connection> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const kubeconfig = new KubeConfig();
  try {
    load(kubeconfig);
  } catch (error) {
    throw new ConnectionError(
      `the kubeconfig cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const cluster = kubeconfig.getCurrentCluster();
  if (cluster === null) {
    throw new ConnectionError(
      `the kubeconfig's context ${JSON.stringify(kubeconfig.getCurrentContext())} names no cluster; choose another one with --context`,
    );
  }
  // Files are read and plug-ins asked by the library, which fills in what an HTTPS request needs.
  const options: RequestOptions = {};
  await kubeconfig.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return {
    url: cluster.server.replace(/\/+$/, ''),
    tls: { ...defined({ ca, cert, key, servername, rejectUnauthorized }) },
    authorization: remembered(() => authorizationOf(kubeconfig)),
    namespace: kubeconfig.getContextObject(kubeconfig.getCurrentContext())?.namespace ?? 'default',
  };
}

async function authorizationOf(kubeconfig: KubeConfig): Promise<string | undefined> {
  const options: RequestOptions = {};
  await kubeconfig.applyToHTTPSOptions(options);
  if (typeof options.auth === 'string') return `Basic ${Buffer.from(options.auth).toString('base64')}`;
  // The library writes a plain object.
  return (options.headers as Record<string, string> | undefined)?.['Authorization'];
}

/** Asks at most once in a while: every write would read the files again. */
function remembered(ask: () => Promise<string | undefined>): () => Promise<string | undefined> {
  let answer: Promise<string | undefined> | undefined;
  let askedAt = 0;
  return () => {
    if (answer === undefined || performance.now() - askedAt > tokenLifeMs) {
      askedAt = performance.now();
      answer = ask();
      // After a failure, the next request asks again.
      answer.catch(() => {
        answer = undefined;
      });
    }
    return answer;
  };
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
