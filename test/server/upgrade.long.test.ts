/** Over the embedded store: with PostgreSQL the versions run side by side, which the tests of replicas hold. */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { backupStore, restoreStore, startService } from '@rolecall/server';
import { migrations } from '../../server/store/migrations/index.ts';
import { runCommand } from '../cli/support/run-command.ts';
import { plantedPassword, team } from '../cli/support/workspace.ts';
import { temporaryFolder } from './support/service.ts';

/** The oldest store that the tests have a copy of. */
const before = 5;
const fixture = path.join(import.meta.dirname, `fixtures/version-${before}`);
const keyFile = path.join(fixture, 'store.key');
const unzip = (name: string, to: string): void => {
  writeFileSync(to, gunzipSync(readFileSync(path.join(fixture, name))), { mode: 0o600 });
};

/** The definitions as they were when the copy was made: connections named no sslmode then. */
async function oldDefinitions(): Promise<string> {
  const folder = await temporaryFolder();
  cpSync(team, folder, { recursive: true });
  const file = path.join(folder, 'access.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('?sslmode=verify-full', ''));
  return folder;
}

/** A data folder as the version before left it. */
async function oldFolder(): Promise<string> {
  const folder = await temporaryFolder();
  unzip('rolecall.db.gz', path.join(folder, 'rolecall.db'));
  copyFileSync(keyFile, path.join(folder, 'store.key'));
  return folder;
}

/** Everything that SQLite keeps of a store: its tables, and the steps that made them. */
function schemaOf(dataDir: string) {
  const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
  const tables = database.prepare('select type, name, sql from sqlite_master order by name').all();
  const steps = database.prepare('select version, name from migration').all();
  database.close();
  return { tables, steps };
}

/** Starts the service on a folder, and holds what it has against what was applied to it by the version before. */
async function assertWhole(dataDir: string): Promise<void> {
  const { id, secret } = JSON.parse(readFileSync(path.join(fixture, 'key.json'), 'utf8')) as Record<string, string>;
  const service = await startService({ dataDir, environment: {}, checkAnswers: true });
  try {
    const env = { ROLECALL_URL: service.url, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
    const args = ['plan', await oldDefinitions(), '--detailed-exitcode'];
    const plan = await runCommand(args, { env: { ...env, TEAM_BILLING_PASSWORD: plantedPassword } });
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    const other = await runCommand(args, { env: { ...env, TEAM_BILLING_PASSWORD: 'another' } });
    assert.equal(other.code, 2, 'the password of the data source was compared');
  } finally {
    await service.close();
  }
  const verify = await runCommand(['audit', 'verify', '--data', dataDir]);
  assert.equal(verify.code, 0, verify.stdout + verify.stderr);
  assert.equal(schemaOf(dataDir).steps.length, migrations.length);
}

describe('an upgrade of a store with data in it', () => {
  it('keeps the data, the API key, the passwords and the audit trail', async () => {
    const dataDir = await oldFolder();
    assert.equal(schemaOf(dataDir).steps.length, before);
    await assertWhole(dataDir);
  });

  it('that fails leaves the store as it was, and the backup made before brings it back', async () => {
    const dataDir = await oldFolder();
    const { file } = await backupStore({ dataDir, out: path.join(await temporaryFolder(), 'before-upgrade.backup') });
    const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
    // At the very end of a step, when all of its work is done.
    database.exec(`create trigger fault before insert on migration begin select raise(abort, 'a planted fault'); end`);
    database.close();
    const found = schemaOf(dataDir);
    await assert.rejects(startService({ dataDir, environment: {} }), /a planted fault/);
    assert.deepEqual(schemaOf(dataDir), found);

    const restored = path.join(await temporaryFolder(), 'restored');
    await restoreStore({ file, dataDir: restored, environment: {}, keyFile });
    await assertWhole(restored);
  });

  it('can begin with a backup that the version before made', async () => {
    const file = path.join(await temporaryFolder(), 'old.backup');
    unzip('store.backup.gz', file);
    const dataDir = path.join(await temporaryFolder(), 'restored');
    await restoreStore({ file, dataDir, environment: {}, keyFile });
    await assertWhole(dataDir);
  });
});
