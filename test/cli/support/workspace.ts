import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before } from 'node:test';
import { type Client, createClient } from '@rolecall/api';
import { type ServiceOptions, startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { fillDataDir } from '../../support/new-store.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { root, runCommand } from './run-command.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The definitions that most tests apply; seven objects, eleven calls. */
export const team = path.join(root, 'test/cli/fixtures/team');

/** The password of its data source, which no output may ever show. */
export const plantedPassword = 'pl4nted-p4ssw0rd';

export interface TestWorkspace extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly keyId: string;
  readonly keySecret: string;
  /** The environment in which a command finds this workspace, through the proxy. */
  readonly env: Record<string, string>;
  readonly proxy: RecordingProxy;
  /** Past the proxy. */
  readonly client: Client;
}

/**
 * Starts the real service with an admin key, and a proxy that records what a command calls.
 *
 * @param options of the service
 */
export async function startWorkspace(options: Pick<ServiceOptions, 'adminRole'> = {}): Promise<TestWorkspace> {
  const folder = temporaryFolder();
  const { id: keyId, secret: keySecret } = (await fillDataDir(folder.path, ['admin'])).admin;
  const base = { dataDir: folder.path, environment: {}, checkAnswers: true, ...onThisMachine };
  const service = await startService({ ...base, ...options });
  const proxy = await startRecordingProxy(service.url);
  const client = createClient({ url: service.url, keyId, keySecret });
  return {
    url: service.url,
    dataDir: folder.path,
    keyId,
    keySecret,
    env: {
      ROLECALL_URL: proxy.url,
      ROLECALL_KEY_ID: keyId,
      ROLECALL_KEY_SECRET: keySecret,
      TEAM_BILLING_PASSWORD: plantedPassword,
    },
    proxy,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await proxy[Symbol.asyncDispose]();
      await service.close();
      folder[Symbol.dispose]();
    },
  };
}

/**
 * Starts a workspace before the tests of a suite, and ends it after them.
 *
 * @param definitions a folder that is applied first
 * @returns what is started; it can be used as soon as a test or a hook runs
 */
export function useWorkspace(definitions?: string): TestWorkspace {
  // It is filled before anything uses it.
  const workspace = {} as TestWorkspace;
  before(async () => {
    Object.assign(workspace, await startWorkspace());
    if (definitions === undefined) return;
    const { code, stderr } = await runCommand(['apply', definitions, '--yes'], { env: workspace.env });
    assert.equal(code, 0, stderr);
  });
  after(() => workspace[Symbol.asyncDispose]());
  return workspace;
}
