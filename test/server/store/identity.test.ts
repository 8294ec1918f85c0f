import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Permission } from '@rolecall/api';
import { createKeys } from '../../support/new-store.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { newStore } from '../support/stores.ts';

const storeOf = async (service: {
  call: (method: string, path: string, call?: object) => Promise<{ headers: Headers }>;
}) => (await service.call('GET', '/role')).headers.get('rolecall-store');

/** A service on a store that is no copy of another one. */
async function startNew() {
  const store = await newStore();
  await createKeys(store, ['read']);
  return startTestService(store);
}

describe('a store', () => {
  it('has an identity that every answer to a key tells, the same when it is opened again, and another in each store', async () => {
    const [one, other] = [await startNew(), await startNew()];
    const [ofOne, ofOther] = [await storeOf(one), await storeOf(other)];
    assert.match(ofOne ?? '', /^[0-9a-f-]{36}$/);
    assert.notEqual(ofOne, ofOther);
    const known = (await one.call('GET', '/snapshot')).headers.get('etag') ?? '';
    const unchanged = await one.call('GET', '/snapshot', { headers: { 'if-none-match': known } });
    const missing = await one.call('GET', '/permission/1');
    for (const { headers } of [unchanged, missing]) assert.equal(headers.get('rolecall-store'), ofOne);
    assert.deepEqual([unchanged.status, missing.status], [304, 404]);
    assert.equal((await one.call('GET', '/role', { key: null })).headers.get('rolecall-store'), null);
    await one.close();
    assert.equal(await storeOf(await startTestService(one.store)), ofOne);
  });

  it('answers no ETag of another one that has the same key and as many changes', async () => {
    const services = [await startTestService(), await startTestService()];
    const tags = services.map(async (one) => (await one.call('GET', '/snapshot')).headers.get('etag'));
    const [one, other] = await Promise.all(tags);
    assert.notEqual(one, other);
  });

  it('shares no number of a permission with another one', async () => {
    const numbers = await Promise.all(
      (await Promise.all([startNew(), startNew(), startNew()])).map(async (service) => {
        const make = makers(service);
        const [person, source] = [await make.person(), await make.dataSource()];
        for (let count = 0; count < 20; count += 1) await make.permission(source.id, person.id);
        return (await service.ok<Permission[]>('GET', '/permission')).map(({ id }) => id);
      }),
    );
    assert.equal(new Set(numbers.flat()).size, 60);
    for (const id of numbers.flat()) assert.match(id, /^[1-9][0-9]{0,15}$/);
  });
});
