import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { DataSourceDetail, Snapshot } from '@rolecall/api';
import {
  CheckpointError,
  createKey,
  listAudit,
  listKeys,
  makeCheckpoint,
  RekeyError,
  rekeyStore,
  rotateKey,
  StoreKeyError,
  verifyAudit,
} from '@rolecall/server';
import { sealOf } from '../../../server/audit/chain.ts';
import { openData } from '../../../server/data/open-data.ts';
import { deriveKeySet, type KeySet } from '../../../server/data/unlock-store.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { askStore, newStore, storeKind, type TestStore, temporaryFolder, writeKeyFile } from '../support/stores.ts';

const newKey = () => randomBytes(32).toString('base64');
const password = 'Xq7-hunter2-Zz9';
const uri = `postgresql://ada:${password}@db.internal/billing`;

/** A store whose key comes from a file that the operator writes, as every kind of store can have it. */
async function keyedStore() {
  const file = path.join(await temporaryFolder(), 'key');
  const environment = { ROLECALL_STORE_KEY_FILE: file };
  const write = (...keys: string[]) => writeKeyFile(file, ...keys);
  const key = newKey();
  await write(key);
  return { store: { ...(await newStore()), environment }, key, write };
}

async function passwordOf(service: TestService, id: string): Promise<string> {
  const { configUri } = await service.ok<DataSourceDetail>('GET', `/data-source/${id}/detail`);
  return decodeURIComponent(new URL(configUri).password);
}

/** All that a store has under a key, as an attacker has it with that key and the store as it is. */
async function keysOf(store: TestStore, key: string): Promise<KeySet> {
  const data = await openData(store, { ROLECALL_STORE_KEY: key });
  try {
    return data.keys.current;
  } finally {
    await data.store.close();
  }
}

const bytes = (value: unknown) => Buffer.from(value as Uint8Array);

/** Bytes as SQL has them. */
function literal(value: Uint8Array): string {
  const hex = bytes(value).toString('hex');
  return storeKind === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
}

const { store, write, key: old } = await keyedStore();
const service = await startTestService(store);
const keyed = { 'idempotency-key': 'k1' };
const created = { name: 'Billing', alias: 'billing', configUri: uri };
const source = await service.ok<DataSourceDetail>('POST', '/data-source', { json: created, headers: keyed });
const byAcme = { headers: { 'rolecall-manager': 'rolecall/acme' } };
const declaration = { kind: 'data_source', id: source.id, definition: 'DataSource/billing', isKept: true };
await service.ok('PATCH', '/declaration', { ...byAcme, json: { origin: 'here', declared: [declaration] } });
const oldKeys = await keysOf(store, old);
const { checkpoint } = await makeCheckpoint(store);
const metas = () => askStore(store, 'select name, value from store_meta');
const oldMetas = await metas();
let next = newKey();
await write(old, next);
const rekeyed = await rekeyStore(store);

describe('store rekey, while a service runs', () => {
  it('says what it has sealed, and that the source still has the old key', () => {
    assert.deepEqual(rekeyed.resealed, { dataSources: 1, unreadable: [] });
    assert.equal(rekeyed.hasOldKey, true);
  });

  it('leaves every password readable, and every API key valid, from the next request on', async () => {
    assert.equal(await passwordOf(service, source.id), password);
    for (const key of Object.values(service.keys))
      assert.equal((await service.call('GET', '/person', { key })).status, 200);
    assert.ok((await listKeys(store)).every(({ intact }) => intact));
  });

  it('leaves a wrong secret wrong, and gives rotated and new keys their rights', async () => {
    const key = await createKey({ ...store, scope: 'read' });
    const rotated = await rotateKey({ ...store, id: key.id });
    assert.equal((await service.call('GET', '/person', { key })).status, 401);
    assert.equal((await service.call('GET', '/person', { key: rotated })).status, 200);
  });

  it('answers a request again that was answered before, with the same bytes', async () => {
    const again = await service.call('POST', '/data-source', { json: created, headers: keyed });
    assert.deepEqual(again.body, source);
    const other = await service.call('POST', '/data-source', { json: { ...created, name: 'x' }, headers: keyed });
    assertProblem(other, 422, 'idempotency_key_reused');
  });

  it('leaves what is remembered of definitions as it was', async () => {
    const { declared } = await service.ok<Snapshot>('GET', '/snapshot?declaredBy=rolecall/acme');
    assert.deepEqual(declared, { origin: 'here', definitions: [{ ...declaration, isShared: false }] });
  });

  it('is in the audit trail, which is whole, and goes on', async () => {
    await makers(service).person();
    const entries = await listAudit({ ...store, query: { limit: 100 } });
    const own = entries.filter(({ operation }) => operation === 'store rekey');
    assert.deepEqual(
      own.map(({ actor }) => actor.type),
      ['cli'],
    );
    const { broken, resumedAfter } = await verifyAudit({ ...store, checkpoint });
    assert.equal(broken, undefined);
    assert.equal(resumedAfter, undefined);
  });

  it('leaves nothing that the old key opens', async () => {
    const { seal } = oldKeys;
    const [row] = await askStore(store, 'select sealed_uri from data_source');
    assert.throws(() => seal.open(bytes(row?.['sealed_uri']), source.id), StoreKeyError);
    const answers = await askStore(store, 'select api_key_id, key, answer, fingerprint from idempotency_key');
    assert.ok(answers.length > 0);
    for (const { api_key_id: id, key, answer } of answers) {
      assert.throws(() => seal.open(bytes(answer), `idempotency ${String(id)} ${String(key)}`), StoreKeyError);
    }
    const metas = await askStore(store, `select name, value from store_meta where name <> 'key_check'`);
    assert.deepEqual(metas.map(({ name }) => name).sort(), ['audit_bounds', 'identity', 'inner_keys']);
    for (const { name, value } of metas) {
      assert.throws(() => seal.open(Buffer.from(String(value), 'base64'), String(name)), StoreKeyError);
    }
  });

  it('knows every column of bytes: one that is added may be sealed, and has to be sealed anew', async () => {
    const columns = await askStore(
      store,
      storeKind === 'sqlite'
        ? `select m.name || '.' || c.name as name from sqlite_schema m, pragma_table_info(m.name) c
            where m.type = 'table' and upper(c.type) = 'BLOB' order by 1`
        : `select table_name || '.' || column_name as name from information_schema.columns
            where table_schema = 'public' and data_type = 'bytea' order by 1`,
    );
    const plain = storeKind === 'sqlite' ? [] : ['query_rows.ends', 'query_rows.rows'];
    assert.deepEqual(
      columns.map(({ name }) => name),
      [
        'api_key.mac',
        'api_key.secret_hash',
        'data_source.sealed_uri',
        // Goes with its session.
        'gateway_password.sealed',
        'idempotency_key.answer',
        'idempotency_key.fingerprint',
        // Sessions and tokens are deleted, since anyone who had the old key could have made them.
        'one_time_token.sealed',
        'one_time_token.token_hash',
        'person_session.mac',
        'person_session.token_hash',
        ...plain,
        'sign_in_factor.sealed',
      ],
    );
  });

  it('leaves nothing that a guess can be held against with the old key', async () => {
    const rows = await askStore(store, 'select id, secret_hash from api_key');
    for (const key of Object.values(service.keys)) {
      const row = rows.find(({ id }) => id === key.id);
      assert.equal(oldKeys.keyHash.matches(key.secret, bytes(row?.['secret_hash'])), false);
    }
  });

  it('accepts nothing that was forged with the old key', async () => {
    const { seal, trail } = oldKeys;
    const key = await createKey({ ...store, scope: 'read' });
    // All that the old key and an older copy of the store give: MACs, URIs, the end of the trail, checkpoints.
    const [row] = await askStore(store, 'select mac from api_key where id = $1', [key.id]);
    assert.equal(seal.matches(bytes(row?.['mac']), `api_key ${key.id}`, {}), false);
    const [head] = await askStore(store, 'select seq, hash, mac from audit_head');
    const link = { seq: Number(head?.['seq']), hash: String(head?.['hash']) };
    assert.notEqual(head?.['mac'], sealOf(trail.head, link));
    const [entry] = await askStore(store, `select mac from audit_entry where seq = ${link.seq}`);
    assert.notEqual(entry?.['mac'], sealOf(trail.entry, link));
    const [oldCheckpoint] = oldKeys.checkpoints;
    assert.ok(oldCheckpoint);
    const forged = { ...link, mac: sealOf(oldCheckpoint.key, link) };
    await assert.rejects(verifyAudit({ ...store, checkpoint: forged }), CheckpointError);

    const mac = String(head?.['mac']);
    await askStore(store, `update audit_head set mac = '${sealOf(trail.head, link)}'`);
    assertProblem(await service.call('POST', '/role', { form: { name: 'x' } }), 503, 'audit_trail_broken');
    await askStore(store, `update audit_head set mac = '${mac}'`);

    const [kept] = await askStore(store, 'select sealed_uri from data_source');
    const setUri = (sealed: Uint8Array) => askStore(store, `update data_source set sealed_uri = ${literal(sealed)}`);
    await setUri(seal.close('postgresql://evil.example/', source.id));
    assertProblem(await service.call('GET', `/data-source/${source.id}/detail`), 500, 'internal_error');
    await setUri(bytes(kept?.['sealed_uri']));
    assert.equal(await passwordOf(service, source.id), password);
  });

  it('is not undone in a running service by an older copy of what the store says of its key', async () => {
    const now = await metas();
    const set = async (rows: typeof now) => {
      for (const { name, value } of rows) {
        await askStore(store, 'update store_meta set value = $1 where name = $2', [String(value), String(name)]);
      }
    };
    await set(oldMetas);
    assertProblem(await service.call('GET', '/person'), 503, 'unavailable');
    await set(now);
    assert.equal((await service.call('GET', '/person')).status, 200);
  });

  it('has nothing to do a second time, and asks for a second key where the old one is taken out', async () => {
    assert.equal((await rekeyStore(store)).resealed, undefined);
    await write(next);
    await assert.rejects(rekeyStore(store), (error) => {
      assert.ok(error instanceof RekeyError);
      assert.match(error.message, /the old one and behind it a new one/);
      return true;
    });
    assert.equal(await passwordOf(service, source.id), password);
    await assert.rejects(listKeys({ ...store, environment: { ROLECALL_STORE_KEY: old } }), /not the one/);
  });

  it('can be done again and again', async () => {
    for (let count = 0; count < 3; count += 1) {
      const after = newKey();
      await write(next, after);
      await rekeyStore(store);
      next = after;
      assert.equal(await passwordOf(service, source.id), password);
    }
    const again = await service.call('POST', '/data-source', { json: created, headers: keyed });
    assert.deepEqual(again.body, source);
    assert.equal((await verifyAudit({ ...store, checkpoint })).broken, undefined);
  });
});

describe('services that share a store whose key is changed again and again', () => {
  it('answer every request as if nothing had happened', async () => {
    const { store, key, write } = await keyedStore();
    const services = [await startTestService(store)];
    if (storeKind === 'postgresql') services.push(await startTestService(store));
    const { id } = await makers(services[0] ?? service).dataSource({ configUri: uri });
    const answers: number[] = [];
    let stopped = false;
    const ask = async (asked: TestService) => {
      for (let count = 0; !stopped; count += 1) {
        const json = { configUri: `${uri}?application_name=a${count}` };
        const call =
          count % 2 === 0
            ? asked.call('GET', `/data-source/${id}/detail`)
            : asked.call('POST', `/data-source/${id}`, { json });
        answers.push((await call).status);
      }
    };
    const clients = Promise.all(services.flatMap((one) => [ask(one), ask(one), ask(one)]));
    let last = key;
    for (let count = 0; count < 4; count += 1) {
      const reached = answers.length + 20;
      while (answers.length < reached) await setTimeout(5);
      const following = newKey();
      await write(last, following);
      await rekeyStore(store);
      last = following;
    }
    stopped = true;
    await clients;
    assert.deepEqual([...new Set(answers)], [200]);
    for (const one of services) assert.equal(await passwordOf(one, id), password);
    assert.equal((await verifyAudit(store)).broken, undefined);
  });
});

describe('a service whose source does not have the new key of the store', () => {
  it('answers 503, also to the probe, and goes on without a restart once it has', async () => {
    const { store, key, write } = await keyedStore();
    const service = await startTestService(store);
    const source = await makers(service).dataSource({ configUri: uri });
    const next = newKey();
    await rekeyStore({ ...store, environment: { ROLECALL_STORE_KEY: `${key} ${next}` } });
    const refused = await service.call('GET', `/data-source/${source.id}/detail`);
    assertProblem(refused, 503, 'unavailable');
    assert.match(refused.text, /the key of the service's store was changed/);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    assertProblem(await service.call('POST', '/role', { form: { name: 'x' } }), 503, 'unavailable');
    await write(next);
    const deadline = Date.now() + 20_000;
    while ((await fetch(`${service.url}/readyz`)).status === 503) assert.ok(Date.now() < deadline);
    assert.equal(await passwordOf(service, source.id), password);
  });

  it('runs the command of its key again, and does not wait for one that hangs', async () => {
    const { store, key, write } = await keyedStore();
    const file = store.environment.ROLECALL_STORE_KEY_FILE;
    const script = `test -e ${file}.hang && exec sleep 600; cat ${file}`;
    const environment = { ROLECALL_STORE_KEY_COMMAND: JSON.stringify(['sh', '-c', script]) };
    const service = await startTestService({ ...store, environment });
    const next = newKey();
    await write(key, next);
    await rekeyStore({ ...store, environment });
    assert.equal((await service.call('GET', '/person')).status, 200);
    await writeFile(`${file}.hang`, '');
    await rekeyStore({ ...store, environment: { ROLECALL_STORE_KEY: `${next} ${newKey()}` } });
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.call('GET', '/person')));
    for (const answer of answers) assertProblem(answer, 503, 'unavailable');
    // The command itself may take 30 s.
    assert.ok(performance.now() - began < 20_000);
  });

  it('reads its source at most once a second, however many requests come', async () => {
    const { store, key } = await keyedStore();
    const folder = await temporaryFolder();
    const log = path.join(folder, 'runs');
    const script = `echo run >> ${log}; echo ${key}`;
    const environment = { ROLECALL_STORE_KEY_COMMAND: JSON.stringify(['sh', '-c', script]) };
    const service = await startTestService({ ...store, environment });
    await rekeyStore({ ...store, environment: { ROLECALL_STORE_KEY: `${key} ${newKey()}` } });
    const runs = async () => (await readFile(log, 'utf8')).split('\n').length;
    const [began, before] = [Date.now(), await runs()];
    await Promise.all(Array.from({ length: 50 }, () => service.call('GET', '/person')));
    assert.ok((await runs()) - before <= 1 + (Date.now() - began) / 1000);
  });
});

describe('a process that has the store open while its key is changed', () => {
  it('writes nothing with the old key', async (test) => {
    const { store, key, write } = await keyedStore();
    const data = await openData(store, store.environment);
    test.after(() => data.store.close());
    await write(key, newKey());
    await rekeyStore(store);
    const sealed = await data.store.write([], () => data.seal.close('secret', 'row'));
    const { seal } = data.keys.current;
    assert.equal(seal.open(sealed, 'row'), 'secret');
    const other = await openData(store, store.environment);
    test.after(() => other.store.close());
    assert.equal(other.seal.open(sealed, 'row'), 'secret');
  });

  it('does a reading again that met the new one', async (test) => {
    const { store, key, write } = await keyedStore();
    const data = await openData(store, store.environment);
    test.after(() => data.store.close());
    await write(key, newKey());
    await rekeyStore(store);
    const other = await openData(store, store.environment);
    test.after(() => other.store.close());
    const sealed = other.seal.close('secret', 'row');
    assert.equal(await data.store.read(() => data.seal.open(sealed, 'row')), 'secret');
  });
});

describe('a store that was changed in the database', () => {
  it('gets its new key, and what was refused before stays refused', async () => {
    const { store, key, write } = await keyedStore();
    const service = await startTestService(store);
    const make = makers(service);
    const [broken, whole] = [await make.dataSource({ configUri: uri }), await make.dataSource({ configUri: uri })];
    await askStore(store, `update data_source set sealed_uri = secret_hash from api_key where data_source.id = $1`, [
      broken.id,
    ]);
    await askStore(store, `update api_key set scope = 'admin' where id = $1`, [service.keys.read.id]);
    await write(key, newKey());
    const { resealed } = await rekeyStore(store);
    assert.deepEqual(resealed, { dataSources: 1, unreadable: [broken.id] });
    assert.equal(await passwordOf(service, whole.id), password);
    assert.equal((await service.call('GET', '/person', { key: service.keys.read })).status, 401);
    assertProblem(await service.call('GET', `/data-source/${broken.id}/detail`), 500, 'internal_error');
  });

  it('keeps its key where its audit trail was rewritten: the new one must not vouch for that', async () => {
    const { store, key, write } = await keyedStore();
    const service = await startTestService(store);
    await makers(service).person();
    await askStore(store, 'delete from audit_entry where seq > 3');
    const [{ seq, hash } = {}] = await askStore(store, 'select seq, hash from audit_entry where seq = 3');
    await askStore(store, `update audit_head set seq = ${String(seq)}, hash = '${String(hash)}'`);
    await write(key, newKey());
    await assert.rejects(rekeyStore(store), /does not end with the seal of the service/);
    assert.equal((await listKeys({ ...store, environment: { ROLECALL_STORE_KEY: key } })).length, 3);
  });
});

describe('the keys under which a store keeps hashes', () => {
  it('hash differently for each list of them', () => {
    const inner = [7, 8].map((fill) => ({ key: createSecretKey(Buffer.alloc(32, fill)) }));
    const storeKey = createSecretKey(Buffer.alloc(32, 1));
    const hashes = [inner, inner.slice(0, 1), inner.slice(1), inner.toReversed()].map((keys) =>
      deriveKeySet(storeKey, keys).keyHash.hash('secret').toString('hex'),
    );
    assert.equal(new Set(hashes).size, 4);
  });
});
