import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnswerOf, mostWindows, type RoleAssignment, type RolePerson, type Snapshot } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const adminRole = 'administrators';
const service = await startTestService({ adminRole });
const make = makers(service);

// One moment for all of them: a window is a whole number of seconds.
const began = Date.now();
const hours = (number: number): string => new Date(began + number * 3_600_000).toISOString();
const over = { startsAt: hours(-2), expiresAt: hours(-1) };
const current = { startsAt: hours(-1), expiresAt: hours(1) };
const next = { startsAt: hours(2), expiresAt: hours(3) };

async function inRole(windows: readonly object[], roleName?: string) {
  const [person, role] = [await make.person(), await make.role(roleName)];
  const path = `/role/${role.id}/person/${person.id}`;
  await service.ok('PUT', `${path}/windows`, { json: { windows } });
  return { person, role, path };
}

describe('the times in which a person has a role', () => {
  it('are in the lists and in the snapshot, and a membership without any looks as in the specification', async () => {
    const { person, role } = await inRole([over, next]);
    const other = await make.person();
    await service.ok('PUT', `/role/${role.id}/person/${other.id}`);
    const people = await service.ok<RolePerson[]>('GET', `/role/${role.id}/person`);
    assert.deepEqual(
      people.map(({ id, windows }) => [id, windows]),
      [
        [person.id, [over, next]],
        [other.id, undefined],
      ],
    );
    assert.deepEqual(Object.keys(people[1] ?? {}), ['id', 'username', 'email', 'name', 'assignedAt']);
    const roles = await service.ok<RoleAssignment[]>('GET', `/person/${person.id}/role`);
    assert.deepEqual(
      roles.map(({ id, windows }) => [id, windows]),
      [[role.id, [over, next]]],
    );
    const { roleWindows } = await service.ok<Snapshot>('GET', '/snapshot');
    assert.deepEqual(
      roleWindows?.filter(({ roleId }) => roleId === role.id),
      [over, next].map((window) => ({ roleId: role.id, personId: person.id, ...window })),
    );
  });

  it('are replaced as a whole, end with a plain membership, and go with it', async () => {
    const { person, role, path } = await inRole([over, current]);
    const read = async () => (await service.ok<RolePerson[]>('GET', `/role/${role.id}/person`))[0];
    const before = await read();
    await service.ok('PUT', `${path}/windows`, { json: { windows: [next] } });
    assert.deepEqual(await read(), { ...before, windows: [next] });
    await service.ok('PUT', path);
    const { windows: _windows, ...plain } = before ?? {};
    assert.deepEqual(await read(), plain);
    await service.ok('PUT', `${path}/windows`, { json: { windows: [next] } });
    await service.ok('DELETE', path);
    await service.ok('PUT', path);
    assert.equal((await read())?.windows, undefined);
    assert.equal((await read())?.id, person.id);
  });

  it('are in the audit trail', async () => {
    const { path } = await inRole([current]);
    await service.ok('PUT', `${path}/windows`, { json: { windows: [next] } });
    await service.ok('PUT', `${path}/windows`, { json: { windows: [next] } });
    const all = await service.ok<AnswerOf<'listAuditEntries'>>('GET', '/audit?limit=1000');
    const entries = all.filter(({ operation, changes }) => operation === 'setRolePersonWindows' && changes.length > 0);
    const [first, last] = entries.slice(-2).map(({ changes }) => changes[0]);
    assert.ok(last !== undefined && first !== undefined, 'the call that changed nothing is not there');
    assert.deepEqual([last.before, last.after], [{ windows: [current] }, { windows: [next] }]);
    assert.deepEqual((first.after as { windows?: object }).windows, [current]);
  });

  it('are in the entry of their end: of the membership, its person and its role', async () => {
    const [one, other, third] = [await inRole([current]), await inRole([current, next]), await inRole([next])];
    await service.ok('PUT', `/person/${other.person.id}/lock`);
    await service.ok('DELETE', one.path);
    await service.ok('DELETE', `/person/${other.person.id}`);
    await service.ok('DELETE', `/role/${third.role.id}`);
    const all = await service.ok<AnswerOf<'listAuditEntries'>>('GET', '/audit?limit=1000');
    const ends = all
      .slice(-3)
      .map(({ changes }) => changes.find(({ kind }) => kind === 'role_person')?.before?.['windows']);
    assert.deepEqual(ends, [[current], [current, next], [next]]);
  });

  it('are refused where they are no times, end before they begin or are too many, and then nothing is changed', async () => {
    const { role, path } = await inRole([current]);
    const wrong = [
      [],
      [{}],
      [{ startsAt: 'tomorrow' }],
      [{ startsAt: hours(2), expiresAt: hours(1) }],
      [{ startsAt: hours(1), expiresAt: new Date(Date.parse(hours(2)) + 1).toISOString() }],
      [{ startsAt: '1900-01-01T00:00:00Z', expiresAt: '2030-01-01T00:00:00Z' }],
      [{ ...current, until: hours(1) }],
      Array.from({ length: mostWindows + 1 }, () => current),
    ];
    for (const windows of wrong) {
      assertProblem(await service.call('PUT', `${path}/windows`, { json: { windows } }), 422, 'invalid_fields');
    }
    const missing = await service.call('PUT', `/role/${role.id}/person/unknown/windows`, { json: { windows: [next] } });
    assertProblem(missing, 404, 'not_found');
    const readOnly = await service.call('PUT', `${path}/windows`, {
      json: { windows: [next] },
      key: service.keys.read,
    });
    assertProblem(readOnly, 403, 'insufficient_scope');
    assert.deepEqual((await service.ok<RolePerson[]>('GET', `/role/${role.id}/person`))[0]?.windows, [current]);
  });

  it('decide over what the person reaches, with the end and the role named', async () => {
    const { person, role } = await inRole([over, current, next]);
    const source = await make.dataSource();
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    const { ok } = await signedIn(service, person.id);
    const now = await ok('getMyAccess', 'GET', `/access/${source.id}`);
    assert.deepEqual([now.allowed, now.until], [true, current.expiresAt]);
    const shown = [now.through, now.upcoming, now.ended].map((grants) =>
      grants.map(({ through, name, expiresAt }) => [through, name, expiresAt]),
    );
    assert.deepEqual(
      shown,
      [current, next, over].map(({ expiresAt }) => [['role', role.name, expiresAt]]),
    );
    assert.equal(now.upcoming[0]?.startsAt, next.startsAt);
    const reachable = () => service.ok<unknown[]>('GET', `/person/${person.id}/data-source`);
    assert.equal((await reachable()).length, 1);
    await service.ok('PUT', `/role/${role.id}/person/${person.id}/windows`, { json: { windows: [over, next] } });
    assert.equal((await reachable()).length, 0);
    const then = await ok('getMyAccess', 'GET', `/access/${source.id}`);
    assert.equal(then.allowed, false);
    assert.match(
      String(then.detail),
      new RegExp(`ended at .*Z with the time in the role ${role.name}; it begins again at `),
    );
  });

  it('decide over what else a role gives: the administration, and the snippets that it owns', async () => {
    const { person, path, role } = await inRole([current], adminRole);
    const snippet = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    const session = await signedIn(service, person.id);
    const ask = async () => [
      (await session.call('GET', '/admin/session')).status,
      (await session.call('GET', `/snippet/${snippet.id}`)).status,
    ];
    assert.deepEqual(await ask(), [200, 200]);
    await service.ok('PUT', `${path}/windows`, { json: { windows: [over, next] } });
    assert.deepEqual(await ask(), [403, 404]);
  });
});
