import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makers } from '../support/make.ts';
import { assertFields, assertProblem, assertRecent, shortId, timestamp } from '../support/match.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

describe('roles', () => {
  it('are created, read and listed oldest first', async () => {
    const role = await service.ok('POST', '/role', { form: { name: 'analysts' } });
    const { id, createdAt, updatedAt, ...rest } = role;
    assert.match(String(id), shortId);
    assertRecent(String(createdAt));
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, { name: 'analysts' });
    const other = await make.role();
    assert.deepEqual(await service.ok('GET', `/role/${String(id)}`), role);
    assert.deepEqual((await service.ok<unknown[]>('GET', '/role')).slice(-2), [role, other]);
  });

  it('have names that are unique', async () => {
    const { name } = await make.role();
    assertFields(await service.call('POST', '/role', { form: { name } }), 409, 'role_name_taken', ['name']);
    await make.role(name.toUpperCase());
  });

  it('are renamed in place, with their members and snippets, to a name that no other role has', async () => {
    const [role, other, person] = [await make.role(), await make.role(), await make.person()];
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    const snippet = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    for (const list of ['role', 'snippet']) await service.ok('GET', `/${list}`);
    const path = `/role/${role.id}`;
    const name = `${role.name}, renamed`;
    const { updatedAt, ...renamed } = await service.ok('PATCH', path, { json: { name } });
    assert.deepEqual(renamed, { id: role.id, name, createdAt: role.createdAt });
    assert.ok(String(updatedAt) > role.updatedAt);
    assert.deepEqual(await service.ok('PATCH', path, { json: {} }), { ...renamed, updatedAt });
    assert.ok((await service.ok<{ name: string }[]>('GET', '/role')).some((row) => row.name === name));
    const snippets = await service.ok<{ id: string; ownerRole: unknown }[]>('GET', '/snippet');
    assert.deepEqual(snippets.find(({ id }) => id === snippet.id)?.ownerRole, { id: role.id, name });
    assert.equal((await service.ok<object[]>('GET', `${path}/person`)).length, 1);
    const taken = await service.call('PATCH', path, { json: { name: other.name } });
    assertFields(taken, 409, 'role_name_taken', ['name']);
    assertProblem(await service.call('PATCH', '/role/none', { json: {} }), 404, 'not_found');
  });

  it('take memberships along when deleted, and leave snippets ownerless', async () => {
    const [role, person, source] = [await make.role(), await make.person(), await make.dataSource()];
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    const snippet = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    assert.deepEqual(snippet.ownerRole, { id: role.id, name: role.name });
    await service.ok('GET', '/snippet');
    assert.deepEqual(await service.ok('DELETE', `/role/${role.id}`), {});
    assertProblem(await service.call('GET', `/role/${role.id}`), 404, 'not_found');
    for (const list of [`/person/${person.id}/role`, `/data-source/${source.id}/role`]) {
      assert.deepEqual(await service.ok('GET', list), []);
    }
    assert.equal((await service.ok('GET', `/snippet/${snippet.id}`))['ownerRole'], null);
    assert.ok(!JSON.stringify(await service.ok('GET', '/snippet')).includes(role.id));
  });

  it('that do not exist are not found by any operation', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    const operations = [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/person'],
      ['GET', '/data-source'],
      ['PUT', `/person/${person.id}`],
      ['DELETE', `/person/${person.id}`],
      ['PUT', `/data-source/${source.id}`],
      ['DELETE', `/data-source/${source.id}`],
    ] as const;
    for (const [method, rest] of operations) {
      assertProblem(await service.call(method, `/role/none${rest}`), 404, 'not_found');
    }
  });
});

describe('memberships', () => {
  it('of people show in both lists, and keep the time of the first when they are made again', async () => {
    const [role, person] = [await make.role(), await make.person()];
    const path = `/role/${role.id}/person/${person.id}`;
    assert.deepEqual(await service.ok('PUT', path), {});
    const before = await service.ok<{ assignedAt: string }[]>('GET', `/role/${role.id}/person`);
    const { id, name, username, email } = person;
    assert.deepEqual(before, [{ id, name, username, email, assignedAt: before[0]?.assignedAt }]);
    assert.match(String(before[0]?.assignedAt), timestamp);
    assert.deepEqual(await service.ok('PUT', path), {});
    assert.deepEqual(await service.ok('GET', `/role/${role.id}/person`), before);
    assert.deepEqual(await service.ok('GET', `/person/${person.id}/role`), [
      { id: role.id, name: role.name, assignedAt: before[0]?.assignedAt },
    ]);
    assert.deepEqual(await service.ok('DELETE', path), {});
    assert.deepEqual(await service.ok('GET', `/role/${role.id}/person`), []);
  });

  it('of data sources show in both lists, and keep the time of the first when they are made again', async () => {
    const [role, source] = [await make.role(), await make.dataSource()];
    const path = `/role/${role.id}/data-source/${source.id}`;
    assert.deepEqual(await service.ok('PUT', path), {});
    const before = await service.ok<{ assignedAt: string }[]>('GET', `/role/${role.id}/data-source`);
    const { id, name, alias } = source;
    assert.deepEqual(before, [{ id, name, alias, assignedAt: before[0]?.assignedAt }]);
    assert.deepEqual(await service.ok('PUT', path), {});
    assert.deepEqual(await service.ok('GET', `/role/${role.id}/data-source`), before);
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}/role`), [
      { id: role.id, name: role.name, assignedAt: before[0]?.assignedAt },
    ]);
    assert.deepEqual(await service.ok('DELETE', path), {});
    assert.deepEqual(await service.ok('GET', `/role/${role.id}/data-source`), []);
  });

  it('that are absent cannot be removed, and the answer says which part is missing', async () => {
    const [role, person, source] = [await make.role(), await make.person(), await make.dataSource()];
    for (const [path, said] of [
      [`/role/${role.id}/person/${person.id}`, 'is not in the role'],
      [`/role/${role.id}/data-source/${source.id}`, 'is not in the role'],
      [`/role/${role.id}/person/nobody`, 'no person nobody'],
      [`/role/${role.id}/data-source/nothing`, 'no data source nothing'],
    ] as const) {
      const answer = await service.call('DELETE', path);
      assertProblem(answer, 404, 'not_found');
      assert.match(answer.text, new RegExp(said));
    }
    assertProblem(await service.call('PUT', `/role/${role.id}/person/nobody`), 404, 'not_found');
    assertProblem(await service.call('PUT', `/role/${role.id}/data-source/nothing`), 404, 'not_found');
  });
});
