import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKey, KeyError, listKeys, type NewKey, revokeKey, rotateKey } from '@rolecall/server';
import { startTestService } from './support/service.ts';
import { askStore } from './support/stores.ts';

const service = await startTestService();
const { store } = service;

const status = async (key: NewKey, path = '/person') => (await service.call('GET', path, { key })).status;
const intact = async ({ id }: NewKey) => (await listKeys(store)).find((key) => key.id === id)?.intact;
const set = (key: NewKey, change: string, values: string[] = []) =>
  askStore(store, `update api_key set ${change} where id = '${key.id}'`, values);

describe('an API key whose row was changed in the database', () => {
  const changes: Record<string, string> = {
    'its scope': `scope = 'admin'`,
    'its name, under which the audit trail knows it': `name = 'somebody else'`,
    'what it is limited to': `data_sources = 'another00000'`,
    'its expiry': `expires_at = '2999-01-01T00:00:00.000Z'`,
    'when it was made': `created_at = '2000-01-01T00:00:00.000Z'`,
    'when its secret was changed': `rotated_at = '2000-01-01T00:00:00.000Z'`,
    'its seal, taken away': 'mac = null',
    'its scope and its seal': `scope = 'admin', mac = null`,
    'its seal, by that of another key': `mac = (select mac from api_key where scope = 'admin' limit 1)`,
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`is refused: ${what}`, async () => {
      const key = await createKey({ ...store, scope: 'read', expiresAt: new Date(Date.now() + 3_600_000) });
      assert.equal(await status(key), 200);
      await set(key, change);
      assert.equal(await status(key), 401);
      assert.equal(await intact(key), false);
    });
  }

  it('is not without a limit where its data sources are taken out of the row', async () => {
    const { id } = await service.ok<{ id: string }>('POST', '/data-source', {
      json: { name: 'limit', configUri: 'postgresql://localhost/d' },
    });
    const key = await createKey({ ...store, scope: 'read', dataSources: [id] });
    assert.equal(await status(key, '/role'), 403);
    await set(key, 'data_sources = null');
    assert.equal(await status(key, '/role'), 401);
  });

  it('reads no password with the scope that it was given', async () => {
    const { id } = await service.ok<{ id: string }>('POST', '/data-source', {
      json: { name: 'd', configUri: 'postgresql://user:planted@localhost/d' },
    });
    const key = await createKey({ ...store, scope: 'read' });
    await set(key, `scope = 'admin'`);
    const { status: answered, text } = await service.call('GET', `/data-source/${id}/detail`, { key });
    assert.equal(answered, 401);
    assert.ok(!text.includes('planted'));
  });

  it('is refused after it was revoked, and its revocation taken back', async () => {
    const key = await createKey({ ...store, scope: 'read' });
    await revokeKey({ ...store, id: key.id });
    await set(key, 'revoked_at = null');
    assert.equal(await status(key), 401);
  });

  it('cannot be given the secret of another key, nor take over its row', async () => {
    const key = await createKey({ ...store, scope: 'read' });
    const { admin } = service.keys;
    await set(key, `secret_hash = (select secret_hash from api_key where id = '${admin.id}')`);
    assert.equal(await status({ ...key, secret: admin.secret }), 401);
    const moved = { ...key, id: 'moved0000000' };
    await askStore(
      store,
      `insert into api_key (id, secret_hash, scope, created_at, mac)
       select '${moved.id}', secret_hash, scope, created_at, mac from api_key where id = '${admin.id}'`,
    );
    assert.equal(await status({ ...moved, secret: admin.secret }), 401);
  });

  it('does not get its rights back by being rotated or revoked', async () => {
    const key = await createKey({ ...store, scope: 'read' });
    await set(key, `scope = 'admin'`);
    await assert.rejects(
      rotateKey({ ...store, id: key.id }),
      (error) => error instanceof KeyError && error.code === 'ERR_KEY_ALTERED',
    );
    await revokeKey({ ...store, id: key.id });
    await set(key, 'revoked_at = null');
    assert.equal(await status(key), 401);
    assert.equal(await intact(key), false);
  });

  it('is never sealed again, however often the store is opened, and whatever the store says of its own age', async () => {
    const key = await createKey({ ...store, scope: 'read' });
    await set(key, `scope = 'admin', mac = null`);
    const before = await askStore(store, `select value from store_meta where name = 'key_check'`);
    const check = String(before[0]?.['value']);
    const setCheck = async (value?: string) => {
      await askStore(store, `delete from store_meta where name = 'key_check'`);
      if (value !== undefined)
        await askStore(store, `insert into store_meta (name, value) values ('key_check', '${value}')`);
    };
    for (const other of [undefined, check.replace(/^./, 'x')]) {
      await setCheck(other);
      await createKey({ ...store, scope: 'read' }).catch(() => undefined);
      // The service cannot tell it from a key that was changed, and does nothing without the new one.
      assert.equal(await status(key), 503);
      await setCheck(check);
      assert.equal(await status(key), 401);
    }
    await setCheck(undefined);
    await assert.rejects(createKey({ ...store, scope: 'read' }), /has lost its key_check/);
  });
});
