/** Over the embedded store only: another one has backups of its own. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Person, Query } from '@rolecall/api';
import {
  BackupError,
  backupStore,
  createKey,
  RestoreError,
  restoreStore,
  revokeKey,
  StoreKeyError,
  StoreUnavailableError,
  StoreVersionError,
} from '@rolecall/server';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

const folder = await temporaryFolder();
const service = await startTestService();
const make = makers(service);
const name = (text: string) => path.join(folder, text);
const restoring = { environment: {}, keyFile: path.join(service.dataDir, 'store.key') };
const leftovers = () => readdirSync(folder).filter((entry) => entry.includes('.part'));

describe('a backup', () => {
  it('of a service that writes has everything that was acknowledged before it, and a prefix of what came after', async () => {
    const before = await Promise.all(Array.from({ length: 50 }, () => make.person()));
    const acknowledged: string[] = [];
    let stopped = false;
    const clients = Array.from({ length: 8 }, async () => {
      while (!stopped) acknowledged.push((await make.person()).id);
    });
    while (acknowledged.length < 20) await new Promise(setImmediate);
    const atBegin = new Set(acknowledged);
    const { file, bytes } = await backupStore({ dataDir: service.dataDir, out: name('busy.backup') });
    stopped = true;
    await Promise.all(clients);
    assert.equal(statSync(file).size, bytes);
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const dataDir = name('busy');
    await restoreStore({ ...restoring, file, dataDir });
    const restored = await startTestService({ dataDir });
    const people = await restored.ok<Person[]>('GET', '/person');
    const ids = new Set(people.map(({ id }) => id));
    for (const { id } of before) assert.ok(ids.has(id));
    for (const id of atBegin) assert.ok(ids.has(id));
    const all = await service.ok<Person[]>('GET', '/person');
    // The lists are in the order of their making.
    assert.deepEqual(people, all.slice(0, people.length));
    assert.deepEqual(leftovers(), []);
  });

  it('has all that the API shows, passwords and audit trail too, but no queries', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const source = await make.dataSource({ configUri: 'postgresql://u:hunter2@127.0.0.1:1/x' });
    const target = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`, {
      headers: { 'rolecall-manager': 'rolecall/acme', 'rolecall-definition': 'Role/analysts; keep' },
    });
    await service.ok('PATCH', '/declaration', {
      headers: { 'rolecall-manager': 'rolecall/acme' },
      json: { origin: 'git.internal/access' },
    });
    await make.permission(source.id, person.id);
    await make.snippet({ text: 'select 42' });
    await make.editor(person, target);
    const { run } = queryHelpers(service);
    const { query } = await run(target.id, 'select 1');
    const { file } = await backupStore({ dataDir: service.dataDir, out: name('all.backup') });
    const dataDir = name('all');
    await restoreStore({ ...restoring, file, dataDir });
    const restored = await startTestService({ dataDir });
    for (const where of [
      '/person',
      '/role',
      '/data-source',
      `/data-source/${source.id}/detail`,
      `/role/${role.id}/person`,
      `/person/${person.id}/permission`,
      `/person/${person.id}/editor`,
      '/snippet',
      '/snapshot?declaredBy=rolecall/acme',
    ]) {
      assert.deepEqual(await restored.ok('GET', where), await service.ok('GET', where), where);
    }
    assert.equal((await service.ok<Query>('GET', `/query/${query.id}`)).success, true);
    assert.equal((await restored.call('GET', `/query/${query.id}`)).status, 404);
    // The keys of then are valid there.
    assert.equal((await restored.call('GET', '/person', { key: service.keys.read })).status, 200);
  });

  it('brings back no ETag that a client may have for a later state', async () => {
    const { file } = await backupStore({ dataDir: service.dataDir, out: name('tags.backup') });
    await make.person();
    const tag = (await service.call('GET', '/snapshot')).headers.get('etag') ?? '';
    const dataDir = name('tags');
    await restoreStore({ ...restoring, file, dataDir });
    const restored = await startTestService({ dataDir });
    await makers(restored).person();
    assert.equal((await restored.call('GET', '/snapshot', { headers: { 'if-none-match': tag } })).status, 200);
  });

  it('keeps the identity of its store, and numbers permissions otherwise than the store went on to', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    const grant = async (some: typeof make) => (await some.permission(source.id, person.id)).id;
    const kept = await grant(make);
    const { file } = await backupStore({ dataDir: service.dataDir, out: name('numbers.backup') });
    const lost = [await grant(make), await grant(make)];
    const dataDir = name('numbers');
    await restoreStore({ ...restoring, file, dataDir });
    const restored = await startTestService({ dataDir });
    const anew = [await grant(makers(restored)), await grant(makers(restored))];
    assert.ok(!lost.some((id) => anew.includes(id)), `${lost.join()} and ${anew.join()}`);
    assert.equal((await restored.ok<{ id: string }>('GET', `/permission/${kept}`)).id, kept);
    const storeOf = async (one: typeof restored) => (await one.call('GET', '/role')).headers.get('rolecall-store');
    assert.equal(await storeOf(restored), await storeOf(service));
  });

  it('has nothing of what was deleted, and neither the key nor a password in the clear', async () => {
    const doomed = await make.snippet({ text: 'select the-deleted-text' });
    await service.ok('DELETE', `/snippet/${doomed.id}`);
    await make.dataSource({ configUri: 'postgresql://u:planted-in-backup@127.0.0.1:1/x' });
    const { file } = await backupStore({ dataDir: service.dataDir, out: name('deleted.backup') });
    const bytes = readFileSync(file);
    const key = readFileSync(restoring.keyFile, 'utf8').trim();
    for (const secret of ['the-deleted-text', 'planted-in-backup', key])
      assert.equal(bytes.indexOf(secret), -1, secret);
    assert.equal(bytes.indexOf(Buffer.from(key, 'base64')), -1);
  });

  it('has no sessions and no links, so that a restored store lets no one in who was signed out since', async () => {
    const ada = await make.person();
    const { token } = await signedIn(service, ada.id, { kind: 'command_line' });
    await service.ok('POST', `/person/${ada.id}/invitation`);
    const { file } = await backupStore({ dataDir: service.dataDir, out: name('sessions.backup') });
    const dataDir = name('sessions');
    await restoreStore({ ...restoring, file, dataDir });
    const restored = await startTestService({ dataDir });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await service.call('GET', '/person/v1/me', { key: null, headers })).status, 200);
    assert.equal((await restored.call('GET', '/person/v1/me', { key: null, headers })).status, 401);
    using database = new DatabaseSync(path.join(dataDir, 'rolecall.db'), { readOnly: true });
    assert.deepEqual(database.prepare('SELECT id FROM one_time_token').all(), []);
  });

  it('is made of a stopped service too, and overwrites nothing', async () => {
    const dataDir = await temporaryFolder();
    await createKey({ dataDir, environment: {}, scope: 'read' });
    const out = name('stopped.backup');
    await backupStore({ dataDir, out });
    const first = readFileSync(out);
    await assert.rejects(backupStore({ dataDir, out }), isError(BackupError, 'ERR_BACKUP_EXISTS', /not overwritten/));
    assert.deepEqual(readFileSync(out), first);
    const nowhere = backupStore({ dataDir: name('nowhere'), out: name('x') });
    await assert.rejects(nowhere, isError(BackupError, 'ERR_BACKUP_NO_STORE', /no store/));
    const missing = backupStore({ dataDir, out: name('no/such/folder') });
    await assert.rejects(missing, isError(BackupError, 'ERR_BACKUP_NO_FOLDER', /no folder .*no\/such: make it/));
    assert.deepEqual(leftovers(), []);
    assert.equal(existsSync(name('x')), false);
  });
});

describe('restoring', async () => {
  const { file } = await backupStore({ dataDir: service.dataDir, out: name('good.backup') });

  it('says how many keys are valid again, those that were revoked since too', async () => {
    const dataDir = await temporaryFolder();
    const [kept, revoked] = [
      await createKey({ dataDir, environment: {}, scope: 'read' }),
      await createKey({ dataDir, environment: {}, scope: 'read' }),
    ];
    await revokeKey({ dataDir, environment: {}, id: revoked.id });
    const backup = await backupStore({ dataDir, out: name('keys.backup') });
    await revokeKey({ dataDir, environment: {}, id: kept.id });
    const keyFile = path.join(dataDir, 'store.key');
    const restored = await restoreStore({ file: backup.file, dataDir: name('keys'), keyFile, environment: {} });
    assert.deepEqual([restored.validKeys, restored.takenAt], [1, backup.takenAt]);
    assert.equal(statSync(name('keys/store.key')).mode & 0o777, 0o600);
    assert.equal(statSync(name('keys')).mode & 0o777, 0o700);
  });

  it('leaves a store alone that is there, whether or not it is served, until it was moved away', async () => {
    const before = readdirSync(service.dataDir).sort();
    const into = restoreStore({ ...restoring, file, dataDir: service.dataDir });
    await assert.rejects(into, isError(RestoreError, 'ERR_RESTORE_NOT_EMPTY', /move what is there away/));
    assert.deepEqual(readdirSync(service.dataDir).sort(), before);
    const dataDir = name('occupied');
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'notes.txt'), '');
    await assert.rejects(restoreStore({ ...restoring, file, dataDir }), /notes\.txt/);
    renameSync(path.join(dataDir, 'notes.txt'), name('notes.txt'));
    await restoreStore({ ...restoring, file, dataDir });
    assert.ok(existsSync(path.join(dataDir, 'rolecall.db')));
  });

  it('takes the key from a file, from the environment or from the folder, and no other', async () => {
    const text = readFileSync(restoring.keyFile, 'utf8').trim();
    await restoreStore({ file, dataDir: name('by-env'), environment: { ROLECALL_STORE_KEY: text } });
    assert.equal(existsSync(name('by-env/store.key')), false);
    mkdirSync(name('by-folder'));
    copyFileSync(restoring.keyFile, name('by-folder/store.key'));
    await restoreStore({ file, dataDir: name('by-folder'), environment: {} });
    const other = name('other.key');
    writeFileSync(other, Buffer.alloc(32, 7).toString('base64'));
    for (const options of [
      { environment: {} },
      { environment: {}, keyFile: other },
      { environment: {}, keyFile: name('none') },
    ]) {
      const dataDir = name('without');
      await assert.rejects(restoreStore({ ...options, file, dataDir }), isError(StoreKeyError, 'ERR_STORE_KEY', /./));
      assert.deepEqual(
        readdirSync(dataDir).filter((entry) => entry !== 'service.lock'),
        [],
      );
    }
  });

  it('refuses a file that is damaged, cut off, no backup, or of a newer version, and leaves nothing behind', async () => {
    const bytes = readFileSync(file);
    const variant = (text: string, content: Buffer) => {
      writeFileSync(name(text), content);
      return name(text);
    };
    const flipped = Buffer.from(bytes);
    for (let at = 4096; at < flipped.length; at += 512) flipped[at] = (flipped[at] ?? 0) ^ 0xff;
    const newer = variant('newer', bytes);
    const database = new DatabaseSync(newer);
    database.exec("insert into migration values (9999, 'of the future', '')");
    database.close();
    const raw = name('raw');
    copyFileSync(path.join(service.dataDir, 'rolecall.db'), raw);
    for (const [broken, type, code] of [
      [variant('flipped', flipped), StoreUnavailableError, 'ERR_STORE_UNAVAILABLE'],
      [variant('cut', bytes.subarray(0, bytes.length - 5000)), StoreUnavailableError, 'ERR_STORE_UNAVAILABLE'],
      [variant('text', Buffer.from('hello '.repeat(2000))), StoreUnavailableError, 'ERR_STORE_UNAVAILABLE'],
      [variant('empty', Buffer.alloc(0)), StoreUnavailableError, 'ERR_STORE_UNAVAILABLE'],
      [newer, StoreVersionError, 'ERR_STORE_VERSION'],
      [raw, RestoreError, 'ERR_RESTORE_NO_BACKUP'],
      [name('nowhere'), RestoreError, 'ERR_RESTORE_NO_FILE'],
    ] as const) {
      const dataDir = name('refused');
      await assert.rejects(restoreStore({ ...restoring, file: broken, dataDir }), (error) => {
        assert.ok(isError(type, code, /./)(error), `${broken}: ${String(error)}`);
        return true;
      });
      const left = existsSync(dataDir) ? readdirSync(dataDir).filter((entry) => entry !== 'service.lock') : [];
      assert.deepEqual(left, [], broken);
    }
  });
});

function isError(type: new (...args: never[]) => Error & { code: string }, code: string, message: RegExp) {
  return (error: unknown) => error instanceof type && error.code === code && message.test(error.message);
}
