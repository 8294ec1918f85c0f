import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Managed } from '@rolecall/api';
import { makers } from './support/make.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const make = makers(service);

const by = (manager: string) => ({ headers: { 'rolecall-manager': manager } });
const managed = (): Promise<Managed[]> => service.ok('GET', '/manager', { key: service.keys.read });
const rows = async (...ids: string[]): Promise<string[]> =>
  (await managed())
    .filter(({ id }) => ids.some((one) => id.split('/').includes(one)))
    .map(({ kind, id, manager }) => `${kind} ${id} ${manager}`);

describe('who manages what', () => {
  it('is kept of the manager that wrote it last, one row an object, and of no one who did not say so', async () => {
    const [person, silent] = [await make.person(), await make.person()];
    await service.ok('PUT', `/person/${person.id}/lock`, by('rolecall/acme'));
    await service.ok('PUT', `/person/${silent.id}/lock`);
    assert.deepEqual(await rows(person.id, silent.id), [`person ${person.id} rolecall/acme`]);
    await service.ok('PUT', `/person/${person.id}/unlock`, by('operator/ns/main'));
    await service.ok('PUT', `/person/${person.id}/lock`);
    assert.deepEqual(await rows(person.id), [`person ${person.id} operator/ns/main`]);
  });

  it('is forgotten with what is deleted, also along with another object, so that a membership by hand is nobodys', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const path = `/role/${role.id}/person/${person.id}`;
    await service.ok('PUT', path, by('rolecall/acme; exact'));
    assert.deepEqual(await rows(role.id), [
      `exact role_person ${role.id} rolecall/acme`,
      `role_person ${role.id}/${person.id} rolecall/acme`,
    ]);
    await service.ok('DELETE', path);
    await service.ok('PUT', path);
    assert.deepEqual(await rows(role.id), [`exact role_person ${role.id} rolecall/acme`]);
    await service.ok('DELETE', path);
    await service.ok('PUT', path, by('rolecall/acme'));
    await service.ok('DELETE', `/role/${role.id}`, by('rolecall/acme'));
    assert.deepEqual(await rows(role.id), []);
  });

  it('names a list that is run exactly, by the collection where it is one', async () => {
    const permission = async (manager: string): Promise<void> => {
      const [person, source] = [await make.person(), await make.dataSource()];
      await service.ok('POST', `/data-source/${source.id}/permission/person/${person.id}`, {
        form: { duration: '60' },
        ...by(manager),
      });
    };
    await permission('operator/ns/main');
    assert.equal(
      (await managed()).some(({ kind }) => kind === 'exact permission'),
      false,
    );
    await permission('rolecall/acme; exact');
    await permission('operator/ns/main');
    const lists = (await managed()).filter(({ kind }) => kind === 'exact permission');
    assert.deepEqual(
      lists.map(({ id, manager }) => [id, manager]),
      [['', 'rolecall/acme']],
    );
  });

  it('is refused under a name that is too long, or not of visible characters, and nothing is written', async () => {
    const person = await make.person();
    for (const name of ['', 'a b', 'x'.repeat(101), 'a;exact', 'a; exact; exact', '\u00e9']) {
      const answer = await service.call('PUT', `/person/${person.id}/lock`, by(name));
      assert.equal(answer.status, 400, name);
    }
    assert.equal((await service.ok(`GET`, `/person/${person.id}`))['isLocked'], false);
    assert.equal((await service.call('PUT', `/person/${person.id}/lock`, by('x'.repeat(100)))).status, 200);
  });

  it('is read with a key of scope read, and with no key not at all', async () => {
    assert.equal((await service.call('GET', '/manager', { key: null })).status, 401);
  });
});
