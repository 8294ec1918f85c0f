import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DataSource,
  type ListedSnippet,
  type Permission,
  type Person,
  type Role,
  type RoleDataSource,
  type RolePerson,
  type Snapshot,
  snapshotSchema,
} from '@rolecall/api';
import { createKey, StoreUnavailableError } from '@rolecall/server';
import { withData } from '../../../server/data/open-data.ts';
import { slotLimits } from '../../../server/snapshot/slots.ts';
import { readAll } from '../../../server/store/pages.ts';
import { insertRole, rolePages } from '../../../server/store/role.ts';
import type { Store } from '../../../server/store/store.ts';
import { createKeys } from '../../support/new-store.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { askStore, newStore } from '../support/stores.ts';

const service = await startTestService();
const make = makers(service);
const { read } = service.keys;
const at = '2026-11-02T08:30:00.000Z';

async function readSnapshot(query = ''): Promise<{ snapshot: Snapshot; tag: string | null; text: string }> {
  const { status, text, body, headers } = await service.call('GET', `/snapshot${query}`, { key: read });
  assert.equal(status, 200, text);
  assert.deepEqual(snapshotSchema.parse(body), body, 'no field is there that the schema does not have');
  return { snapshot: body as Snapshot, tag: headers.get('etag'), text };
}

describe('a snapshot of the store', () => {
  it('sees nothing of what is written after it was opened, until it is closed', async () => {
    await withData(await newStore(), async ({ store }) => {
      const write = (id: string) =>
        store.write(['role'], (executor) => insertRole(executor, { id, name: id, createdAt: at, updatedAt: at }));
      const names = ({ read: readOf }: Pick<Store, 'read'>) => readOf((executor) => readAll(executor, rolePages));
      await write('before');
      const [one, other] = [await store.snapshot(), await store.snapshot()];
      await write('after');
      for (const snapshot of [one, other]) {
        assert.deepEqual(
          (await names(snapshot)).map(({ id }) => id),
          ['before'],
        );
      }
      assert.equal((await names(store)).length, 2);
      await one.close();
      await one.close();
      await assert.rejects(async () => names(one), StoreUnavailableError);
      const next = await store.snapshot();
      assert.equal((await names(next)).length, 2);
      await Promise.all([other.close(), next.close()]);
    });
  });
});

describe('a snapshot', () => {
  it('has what the lists have, for a key that may only read', async () => {
    const [ada, source, role] = [await make.person(), await make.dataSource(), await make.role()];
    await service.ok('PUT', `/role/${role.id}/person/${ada.id}`);
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    await make.permission(source.id, ada.id);
    await make.snippet();
    const { snapshot } = await readSnapshot('?include=snippets');
    assert.deepEqual(snapshot.people, await service.ok<Person[]>('GET', '/person'));
    assert.deepEqual(snapshot.roles, await service.ok<Role[]>('GET', '/role'));
    assert.deepEqual(snapshot.snippets, await service.ok<ListedSnippet[]>('GET', '/snippet'));
    assert.deepEqual(
      snapshot.dataSources.map(({ uri: _uri, passwordFingerprint: _fingerprint, ...listed }) => listed),
      await service.ok<DataSource[]>('GET', '/data-source'),
    );
    assert.deepEqual(
      snapshot.permissions,
      (await service.ok<Permission[]>('GET', '/permission')).map(({ person, dataSource, ...rest }) => ({
        ...rest,
        personId: person.id,
        dataSourceId: dataSource.id,
      })),
    );
    const people = await service.ok<RolePerson[]>('GET', `/role/${role.id}/person`);
    const sources = await service.ok<RoleDataSource[]>('GET', `/role/${role.id}/data-source`);
    assert.deepEqual(
      snapshot.rolePeople.filter(({ roleId }) => roleId === role.id),
      people.map(({ id, assignedAt }) => ({ roleId: role.id, personId: id, assignedAt })),
    );
    assert.deepEqual(
      snapshot.roleDataSources.filter(({ roleId }) => roleId === role.id),
      sources.map(({ id, assignedAt }) => ({ roleId: role.id, dataSourceId: id, assignedAt })),
    );
  });

  it('has snippets only where they are asked for', async () => {
    assert.equal((await readSnapshot()).snapshot.snippets, undefined);
    assert.equal((await service.call('GET', '/snapshot?include=people', { key: read })).status, 400);
  });

  it('names the role of the administrators, under an ETag of its own', async () => {
    const first = await startTestService();
    const { read: key } = first.keys;
    const { headers, body } = await first.call('GET', '/snapshot', { key });
    assert.equal(snapshotSchema.parse(body).adminRole, undefined);
    await first.close();
    const second = await startTestService({ ...first.store, adminRole: 'the "ops"' });
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    const answer = await second.call('GET', '/snapshot', { key, headers: known });
    assert.equal(answer.status, 200, 'a client would not hear of a role that was named since');
    assert.equal(snapshotSchema.parse(answer.body).adminRole, 'the "ops"');
  });

  it('is refused to a key that is limited to data sources', async () => {
    const { id } = await make.dataSource();
    const limited = await createKey({ ...service.store, scope: 'read', dataSources: [id] });
    for (const [method, json] of [['GET'], ['POST', { key: 'A'.repeat(43), passwords: {} }]] as const) {
      const { status } = await service.call(method, '/snapshot', { key: limited, json });
      assert.equal(status, 403);
    }
  });

  it('has an ETag that changes with everything that it shows, and with nothing else', async () => {
    const [ada, source, role] = [await make.person(), await make.dataSource(), await make.role()];
    const { id: snippet } = await make.snippet();
    const changes: (() => Promise<unknown>)[] = [
      () => make.person(),
      () => service.ok('PUT', `/person/${ada.id}/lock`),
      () => service.ok('PUT', `/person/${ada.id}/unlock`),
      () => make.role(),
      () => make.dataSource(),
      () => service.ok('POST', `/data-source/${source.id}`, { form: { configUri: 'postgresql://u:new@db/x' } }),
      () => service.ok('PUT', `/role/${role.id}/person/${ada.id}`),
      () => service.ok('PUT', `/role/${role.id}/data-source/${source.id}`),
      () => make.permission(source.id, ada.id),
      () => service.ok('DELETE', `/data-source/${source.id}/permission`),
      () => service.ok('DELETE', `/role/${role.id}/data-source/${source.id}`),
      () => service.ok('DELETE', `/data-source/${source.id}`),
      () => service.ok('DELETE', `/role/${role.id}`),
      () => make.version(snippet),
      () => service.ok('PUT', `/snippet/${snippet}/lock`),
    ];
    const tags = new Set<string | null>();
    let { tag } = await readSnapshot('?include=snippets');
    assert.match(tag ?? '', /^"[\w-]{22}"$/, 'a strong tag');
    for (const [index, change] of changes.entries()) {
      const headers = { 'if-none-match': tag ?? '' };
      const same = await service.call('GET', '/snapshot?include=snippets', { key: read, headers });
      assert.deepEqual([same.status, same.text], [304, ''], `before change ${index}`);
      await change();
      const changed = await service.call('GET', '/snapshot?include=snippets', { key: read, headers });
      // A version that is not in use shows nowhere: only its activation would.
      if (changed.status === 200) tag = changed.headers.get('etag');
      else assert.equal(String(change), String(changes[13]), `after change ${index}`);
      tags.add(tag);
    }
    assert.ok(tags.size >= changes.length - 1);
    // Reading a password is recorded, and changes nothing.
    const [other] = (await readSnapshot()).snapshot.dataSources;
    ({ tag } = await readSnapshot());
    await service.ok('GET', `/data-source/${other?.id}/detail`);
    assert.equal((await readSnapshot()).tag, tag);
  });

  it('that is refused for its headers leaves its slot to the next one', async () => {
    const { read: key } = await createKeys(service.store, ['read']);
    const headers = { 'if-none-match': 'not in quotes' };
    for (let count = 0; count < slotLimits.all; count += 1) {
      assert.equal((await service.call('GET', '/snapshot', { key, headers })).status, 400);
    }
    await service.ok('GET', '/snapshot', { key });
  });

  it('answers a change of a snippet with the same ETag where snippets were not asked for', async () => {
    const { tag } = await readSnapshot();
    await make.snippet();
    assert.equal((await readSnapshot()).tag, tag);
    assert.notEqual((await readSnapshot('?include=snippets')).tag, tag);
  });

  it('shows one moment, whatever is written while it is read', async () => {
    // More than one page of memberships, so that the writes come in between.
    await Promise.all(Array.from({ length: 35 }, async () => [await make.role(), await make.person()]));
    const memberships = `insert into role_person (role_id, person_id, assigned_at)
      select role.id, person.id, $1 from role cross join person where true on conflict do nothing`;
    await askStore(service.store, memberships, [at]);
    assert.ok((await readSnapshot()).snapshot.rolePeople.length > 1000);
    const stop = { isDone: false };
    const write = async (): Promise<void> => {
      while (!stop.isDone) {
        const [person, role] = [await make.person(), await make.role()];
        await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
        await service.ok('DELETE', `/role/${role.id}`);
        await service.ok('PUT', `/person/${person.id}/lock`);
        await service.ok('DELETE', `/person/${person.id}`);
      }
    };
    const writers = [write(), write(), write()];
    const tags = new Map<string, string>();
    for (let round = 0; round < 6; round += 1) {
      const { snapshot, tag, text } = await readSnapshot();
      const known = new Set([...snapshot.people, ...snapshot.roles].map(({ id }) => id));
      for (const { roleId, personId } of snapshot.rolePeople) assert.ok(known.has(roleId) && known.has(personId));
      assert.equal(tags.get(tag ?? '') ?? text, text, 'one tag stands for one text');
      tags.set(tag ?? '', text);
    }
    stop.isDone = true;
    await Promise.all(writers);
    assert.ok(tags.size > 1, 'something was written in between');
  });
});

describe('the passwords of a snapshot', () => {
  it('are in no answer, whose URIs have everything else', async () => {
    const configUri = 'postgresql://reporting:planted-4711@db.internal:5432/billing?sslmode=require';
    const source = await make.dataSource({ configUri });
    const { snapshot, text } = await readSnapshot('?include=snippets');
    assert.doesNotMatch(text, /planted-4711/);
    const shown = snapshot.dataSources.find(({ id }) => id === source.id);
    assert.equal(shown?.uri, 'postgresql://reporting@db.internal:5432/billing?sslmode=require');
    assert.equal(shown.configUri, 'postgresql://reporting@db.internal:5432');
  });

  it('have a fingerprint that changes with them alone, and differs from one data source to the next', async () => {
    const uriWith = (password: string) => `postgresql://u${password === '' ? '' : `:${password}`}@db.internal/billing`;
    const [one, two] = [
      await make.dataSource({ configUri: uriWith('first') }),
      await make.dataSource({ configUri: uriWith('first') }),
    ];
    const fingerprint = async (id: string) =>
      (await readSnapshot()).snapshot.dataSources.find((source) => source.id === id)?.passwordFingerprint;
    const first = await fingerprint(one.id);
    assert.match(first ?? '', /^[\w-]{22}$/);
    assert.notEqual(await fingerprint(two.id), first);
    await service.ok('POST', `/data-source/${one.id}`, { form: { name: 'Renamed' } });
    await service.ok('POST', `/data-source/${one.id}`, { form: { configUri: `${uriWith('first')}?sslmode=require` } });
    assert.equal(await fingerprint(one.id), first);
    await service.ok('POST', `/data-source/${one.id}`, { form: { configUri: uriWith('second') } });
    assert.notEqual(await fingerprint(one.id), first);
    await service.ok('POST', `/data-source/${one.id}`, { form: { configUri: uriWith('') } });
    assert.equal(await fingerprint(one.id), null);
  });
});
