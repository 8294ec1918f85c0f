/** From what the first release left behind to what there is now: the stores, Terraform's state, and the objects of a cluster. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createClient } from '@rolecall/api';
import { type ServiceOptions, startService } from '@rolecall/server';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';
import { runCommand, startCommand } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { plantedPassword } from '../cli/support/workspace.ts';
import { startInstalled } from '../provider/support/installed.ts';
import { requires } from '../support/databases/parts.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import {
  type AdminClient,
  adminClient,
  applyKinds,
  ask,
  installKinds,
  type KubeObject,
  kindPath,
  until,
  untilExplained,
} from '../support/kubernetes/admin-client.ts';
import { startApiserver } from '../support/kubernetes/apiserver.ts';

const fixtures = path.join(import.meta.dirname, 'fixtures');
const read = (name: string): string => readFileSync(path.join(fixtures, name), 'utf8');
const unzip = (name: string): Buffer => gunzipSync(readFileSync(path.join(fixtures, name)));

interface Upgraded extends AsyncDisposable {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
  /** By which a command or Terraform finds it. */
  readonly env: Record<string, string>;
}

/** Starts the service as it is now on what was left behind. */
async function upgrade(keyFile: string, options: Partial<ServiceOptions>): Promise<Upgraded> {
  const { id, secret } = JSON.parse(read(keyFile)) as { id: string; secret: string };
  const service = await startService({ environment: {}, checkAnswers: true, ...options });
  return {
    ...{ url: service.url, id, secret },
    env: {
      ROLECALL_URL: service.url,
      ROLECALL_KEY_ID: id,
      ROLECALL_KEY_SECRET: secret,
      TEAM_BILLING_PASSWORD: plantedPassword,
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

function oldFolder(folder: string): string {
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(path.join(dataDir, 'rolecall.db'), unzip('rolecall.db.gz'), { mode: 0o600 });
  copyFileSync(path.join(fixtures, 'store.key'), path.join(dataDir, 'store.key'));
  return dataDir;
}

/** The command line finds all that it declared, and the password too. */
async function assertNothingToDo({ env }: Upgraded): Promise<void> {
  const plan = ['plan', path.join(fixtures, 'definitions.yaml'), '--detailed-exitcode'];
  const same = await runCommand(plan, { env });
  assert.equal(same.code, 0, same.stdout + same.stderr);
  const other = await runCommand(plan, { env: { ...env, TEAM_BILLING_PASSWORD: 'another' } });
  assert.equal(other.code, 2, 'the password of the data source was compared');
}

describe('an upgrade from the first release', () => {
  it('keeps what the embedded store has', async () => {
    using folder = temporaryFolder();
    await using upgraded = await upgrade('key.json', { dataDir: oldFolder(folder.path) });
    await assertNothingToDo(upgraded);
  });

  it('keeps what a store in PostgreSQL has', requires('postgresql'), async () => {
    const server = await startPostgres();
    try {
      const client = new pg.Client({ connectionString: server.uri });
      await client.connect();
      await client.query(unzip('store.sql.gz').toString());
      await client.end();
      const environment = { ROLECALL_STORE_KEY: read('store.key') };
      await using upgraded = await upgrade('key-postgresql.json', { databaseUrl: server.uri, environment });
      await assertNothingToDo(upgraded);
    } finally {
      await server.stop();
    }
  });

  it('leaves Terraform nothing to do, by the state that it had', requires('terraform'), async () => {
    using folder = temporaryFolder();
    await using upgraded = await upgrade('key.json', { dataDir: oldFolder(folder.path) });
    await using installed = await startInstalled();
    for (const name of ['main.tf', 'terraform.tfstate'])
      copyFileSync(path.join(fixtures, name), path.join(installed.folder, name));
    await installed.must(['init'], upgraded.env);
    const { code, output } = await installed.run(['plan', '-detailed-exitcode'], upgraded.env);
    assert.equal(code, 0, output);
    // It also still writes: the state that it had names the objects that there are.
    await installed.must(['destroy', '-auto-approve'], { ...upgraded.env, ROLECALL_MAX_REMOVAL_PERCENT: '100' });
    const client = createClient({ url: upgraded.url, keyId: upgraded.id, keySecret: upgraded.secret });
    const people = await client.call('listPeople', {});
    assert.deepEqual(people.map(({ username }) => username).toSorted(), ['ada', 'grace', 'kay']);
    await client.close();
  });

  it(
    'leaves the operator nothing to do for objects of the kinds of then, and lets it go on',
    requires('kubernetes'),
    async () => {
      using folder = temporaryFolder();
      await using upgraded = await upgrade('key.json', { dataDir: oldFolder(folder.path) });
      const client = createClient({ url: upgraded.url, keyId: upgraded.id, keySecret: upgraded.secret });
      const before = await client.call('listPermissions', {});
      const apiserver = await startApiserver();
      try {
        await using kube = adminClient(apiserver);
        await installOldCluster(kube, upgraded);
        await installKinds(kube);
        await untilExplained(kube);
        const kubeconfig = path.join(folder.path, 'kubeconfig');
        writeFileSync(kubeconfig, apiserver.kubeconfig);
        const operator = startCommand(['operator', '--kubeconfig', kubeconfig]);
        // A change shows that it has read everything: it plans a workspace as a whole.
        const person = kindPath('people', 'kay');
        await ask(kube, 'PATCH', person, { spec: { locked: true } }, 'application/merge-patch+json');
        await until(async () =>
          (await client.call('listPeople', {})).some(({ username, isLocked }) => username === 'kay' && isLocked),
        );
        await until(async () => (await ask(kube, 'GET', person)).status?.['observedGeneration'] === 2);
        assert.deepEqual(await client.call('listPermissions', {}), before, 'no grant was made again');
        for (const { kind, metadata } of oldObjects()) {
          const { status } = await ask(kube, 'GET', kindPath(plurals[kind ?? ''] ?? '', metadata.name));
          const [ready] = (status?.['conditions'] as { type: string; status: string }[]).filter(
            ({ type }) => type === 'Ready',
          );
          assert.equal(ready?.status, 'True', `${kind} ${metadata.name}`);
        }
        operator.child.kill('SIGTERM');
        await operator.finished;
        const trail = await runCommand(['audit', 'list', '--since', '1h', '--key', upgraded.id, '--format', 'json'], {
          env: upgraded.env,
        });
        assert.equal(trail.code, 0, trail.stderr);
        assert.equal(
          trail.stdout.match(/"operation":\s*"updatePerson|"operation":\s*"lockPerson/g)?.length,
          1,
          trail.stdout,
        );
      } finally {
        await client.close();
        await apiserver.stop();
      }
    },
  );
});

const plurals: Readonly<Record<string, string>> = {
  Workspace: 'workspaces',
  Person: 'people',
  Role: 'roles',
  DataSource: 'datasources',
  Permission: 'permissions',
  RoleMembership: 'rolememberships',
  Snippet: 'snippets',
};

function oldObjects(): KubeObject[] {
  return JSON.parse(read('cluster.json')) as KubeObject[];
}

/** A cluster with the kinds of then, and with the objects as the operator of then left them. */
async function installOldCluster(kube: AdminClient, { url, id, secret }: Upgraded): Promise<void> {
  const kinds = parseAllDocuments(unzip('crds.yaml.gz').toString()).map((each) => each.toJSON() as KubeObject | null);
  await applyKinds(
    kube,
    kinds.filter((kind) => kind !== null),
  );
  const secrets = { 'rolecall-key': { id, secret }, 'stock-password': { password: plantedPassword } };
  for (const [name, stringData] of Object.entries(secrets)) {
    await ask(kube, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name }, stringData });
  }
  for (const object of oldObjects()) {
    const { kind = '', metadata } = object;
    const plural = plurals[kind] ?? '';
    const spec = kind === 'Workspace' ? { ...object.spec, url } : object.spec;
    await ask(kube, 'POST', kindPath(plural), { ...object, spec });
    const place = `${kindPath(plural, metadata.name)}/status`;
    await ask(kube, 'PATCH', place, { status: object.status }, 'application/merge-patch+json');
  }
}
