import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '@rolecall/api';
import { startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { fillDataDir } from '../../support/new-store.ts';
import { type ServiceProxy, startServiceProxy } from './service-proxy.ts';

/** A real service on a store of its own, behind a proxy that fails as a test says. */
export interface TestWorkspace {
  /** Through which the operator comes. */
  readonly proxy: ServiceProxy;
  readonly key: { readonly id: string; readonly secret: string };
  /** Past the proxy, for those who look whether something really happened. */
  readonly client: Client;
  readonly dataDir: string;
  readonly stop: () => Promise<void>;
}

export async function startWorkspace(): Promise<TestWorkspace> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'rolecall-operator-'));
  const { admin: key } = await fillDataDir(dataDir, ['admin']);
  const service = await startService({ dataDir, environment: {}, logger: false, ...onThisMachine });
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
  const proxy = await startServiceProxy(service.url);
  return {
    proxy,
    key,
    client,
    dataDir,
    stop: async () => {
      await client.close();
      await proxy.stop();
      await service.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
