import { createClient } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { type ServerChild, startChild } from '../children/child.ts';
import { total } from '../workspace/workspace.ts';
import { type Cluster, type Resource, startCluster } from './cluster.ts';
import { type OperatorProcess, type OperatorStatus, type Program, startOperator } from './process.ts';

export const team = 'team';

/** An API server, a service, and a namespace with a Workspace between them. */
export interface Installed extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: ReturnType<typeof createClient>;
  readonly startOperator: () => OperatorProcess;
  /** How many calls the service has received. */
  readonly calls: () => Promise<number>;
}

/** How often the operator compares the workspace though nothing changed, in milliseconds. */
const driftMs = 60_000;

/** @param program the operator to start */
export async function install(dataDir: string, program: Program): Promise<Installed> {
  const key = await createKey({ dataDir, scope: 'admin' });
  const service: ServerChild = await startChild('service.ts', [dataDir]);
  const cluster = await startCluster();
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
  const post = (path: string, body: object) => cluster.session.request({ method: 'POST', path, body });
  for (const name of [team, 'floor']) await post('/api/v1/namespaces', { metadata: { name } });
  await post(`/api/v1/namespaces/${team}/secrets`, {
    metadata: { name: 'rolecall-key' },
    stringData: { id: key.id, secret: key.secret },
  });
  const credentialsFrom = { secretKeyRef: { name: 'rolecall-key' } };
  const spec = { url: service.url, credentialsFrom };
  await cluster.create(team, [{ kind: 'Workspace', name: 'workspace', spec }]);
  const { url, ca, token } = cluster;
  return {
    cluster,
    client,
    startOperator: () => startOperator(program, { url, ca, token, namespace: team, driftMs }),
    calls: async () => total((await service.status()).requests),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await cluster.stop();
      await service.stop();
    },
  };
}

export function person(name: string): Resource {
  return { kind: 'Person', name, spec: { username: name, name: `Person ${name}`, email: `${name}@example.com` } };
}

/** The requests and the processor time of an operator between two moments. */
export function between(before: OperatorStatus, after: OperatorStatus) {
  const methods = new Set([...Object.keys(before.requests), ...Object.keys(after.requests)]);
  const requests = Object.fromEntries(
    [...methods].map((method) => [method, (after.requests[method] ?? 0) - (before.requests[method] ?? 0)]),
  );
  return {
    requests: total(requests),
    // The Lease is renewed by PUT, and everything else is written by PATCH or, an Event, by POST.
    writes: (requests['PATCH'] ?? 0) + (requests['POST'] ?? 0),
    events: requests['POST'] ?? 0,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  };
}
