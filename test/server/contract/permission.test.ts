import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Permission } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertFields, assertProblem, assertRecent } from '../support/match.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

async function pair() {
  const [person, source] = [await make.person(), await make.dataSource()];
  return { person, source, path: `/data-source/${source.id}/permission/person/${person.id}` };
}

describe('permissions', () => {
  it('begin now when no start is given, and end after the duration', async () => {
    const { path } = await pair();
    const grant = await service.ok<Record<string, string>>('POST', path, { form: { duration: '90' } });
    assert.deepEqual(Object.keys(grant).sort(), ['createdAt', 'expiresAt', 'id', 'startsAt']);
    assert.match(String(grant['id']), /^[1-9]\d*$/);
    assertRecent(String(grant['startsAt']));
    assert.equal(Date.parse(String(grant['expiresAt'])) - Date.parse(String(grant['startsAt'])), 90_000);
    assertRecent(String(grant['createdAt']));
  });

  it('begin when they are told to, in whatever zone that is written', async () => {
    const { path } = await pair();
    for (const [sent, startsAt, expiresAt] of [
      ['2026-12-01T09:00:00.250Z', '2026-12-01T09:00:00.250Z', '2026-12-01T17:00:00.250Z'],
      ['2026-12-01T09:00:00+02:00', '2026-12-01T07:00:00.000Z', '2026-12-01T15:00:00.000Z'],
      ['2026-12-01T09:00:00.1239Z', '2026-12-01T09:00:00.123Z', '2026-12-01T17:00:00.123Z'],
    ] as const) {
      const grant = await service.ok('POST', path, { json: { duration: 28_800, startsAt: sent } });
      assert.equal(grant['startsAt'], startsAt);
      assert.equal(grant['expiresAt'], expiresAt);
    }
  });

  it('have numbers that come in the order of their creation, and not again after a deletion', async () => {
    const { person, source } = await pair();
    const first = await make.permission(source.id, person.id);
    const deleted = await make.permission(source.id, person.id);
    await service.ok('DELETE', `/permission/${deleted.id}`);
    const later = await Promise.all(Array.from({ length: 5 }, () => make.permission(source.id, person.id)));
    const made = [first, ...later].map(({ id }) => Number(id));
    assert.ok(!made.includes(Number(deleted.id)) && made.every((id) => Number.isSafeInteger(id) && id >= made[0]!));
    const listed = (await service.ok<Permission[]>('GET', '/permission')).map(({ id, createdAt }) => ({
      id,
      createdAt,
    }));
    assert.deepEqual(
      listed.map(({ id }) => Number(id)),
      listed.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      listed.map(({ createdAt }) => createdAt),
      listed.map(({ createdAt }) => createdAt).toSorted(),
    );
  });

  it('are moved in place: their start, their end, or both', async () => {
    const { person, source } = await pair();
    const { id } = await make.permission(source.id, person.id, {
      startsAt: '2026-12-01T09:00:00.000Z',
      duration: '3600',
    });
    await service.ok('GET', '/permission');
    const path = `/permission/${id}`;
    for (const [json, startsAt, expiresAt] of [
      [{ expiresAt: '2026-12-01T12:00:00Z' }, '2026-12-01T09:00:00.000Z', '2026-12-01T12:00:00.000Z'],
      [{ startsAt: '2026-12-01T11:00:00Z' }, '2026-12-01T11:00:00.000Z', '2026-12-01T12:00:00.000Z'],
      [{ duration: 60 }, '2026-12-01T11:00:00.000Z', '2026-12-01T11:01:00.000Z'],
      [{ startsAt: '2027-01-01T00:00:00Z', duration: 60 }, '2027-01-01T00:00:00.000Z', '2027-01-01T00:01:00.000Z'],
      [{}, '2027-01-01T00:00:00.000Z', '2027-01-01T00:01:00.000Z'],
    ] as const) {
      const moved = await service.ok('PATCH', path, { json });
      assert.partialDeepStrictEqual(moved, { id, startsAt, expiresAt, person: { id: person.id } });
      assert.deepEqual((await service.ok<unknown[]>('GET', '/permission')).at(-1), moved);
    }
  });

  it('are moved only to a window that a new one may have', async () => {
    const { person, source } = await pair();
    const { id } = await make.permission(source.id, person.id, {
      startsAt: '2026-12-01T09:00:00.000Z',
      duration: '3600',
    });
    const path = `/permission/${id}`;
    for (const [json, field] of [
      [{ expiresAt: '2026-12-01T09:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2026-12-01T08:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2026-12-01T09:00:00.5Z' }, 'expiresAt'],
      [{ expiresAt: '2226-12-01T09:00:00Z' }, 'expiresAt'],
      [{ startsAt: '2026-12-01T10:00:00Z' }, 'expiresAt'],
      [{ duration: 0 }, 'duration'],
      [{ startsAt: '9999-12-31T23:59:00Z', duration: 61 }, 'duration'],
      [{ expiresAt: '2026-12-01T12:00:00Z', duration: 60 }, ''],
      [{ person: person.id }, 'person'],
    ] as const) {
      assertFields(await service.call('PATCH', path, { json }), 422, 'invalid_fields', [field]);
    }
    assertProblem(await service.call('PATCH', '/permission/99999999', { json: {} }), 404, 'not_found');
  });

  it('are shown in the form that each operation has', async () => {
    const { person, source, path } = await pair();
    const { id, startsAt, expiresAt, createdAt } = await make.permission(source.id, person.id);
    const expanded = {
      person: { id: person.id, name: person.name, username: person.username, email: person.email },
      dataSource: { id: source.id, name: source.name, alias: source.alias },
    };
    const flat = { id, personId: person.id, dataSourceId: source.id, expiresAt };
    assert.deepEqual(await service.ok('GET', `/permission/${id}`), { id, createdAt, expiresAt, ...expanded });
    assert.deepEqual((await service.ok<unknown[]>('GET', '/permission')).at(-1), {
      id,
      createdAt,
      startsAt,
      expiresAt,
      ...expanded,
    });
    assert.deepEqual(await service.ok('GET', `/person/${person.id}/permission`), [flat]);
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}/permission`), [{ ...flat, startsAt }]);
    assert.deepEqual(await service.ok('GET', path), [{ ...flat, startsAt }]);
  });

  it('stay listed after they expire', async () => {
    const { person, source } = await pair();
    const past = { duration: '60', startsAt: '2020-01-01T00:00:00.000Z' };
    const { id } = await make.permission(source.id, person.id, past);
    assert.ok(JSON.stringify(await service.ok('GET', '/permission')).includes(`"id":"${id}"`));
    assert.equal((await service.ok<unknown[]>('GET', `/person/${person.id}/permission`)).length, 1);
  });

  it('are deleted one by one, by pair, by person and by data source, and are counted', async () => {
    const [a, b, source, other] = [
      await make.person(),
      await make.person(),
      await make.dataSource(),
      await make.dataSource(),
    ];
    const one = await make.permission(source.id, a.id);
    assert.deepEqual(await service.ok('DELETE', `/permission/${one.id}`), {});
    assertProblem(await service.call('DELETE', `/permission/${one.id}`), 404, 'not_found');
    for (const [where, who] of [
      [source, a],
      [source, a],
      [other, a],
      [source, b],
      [other, b],
      [other, b],
    ] as const) {
      await make.permission(where.id, who.id);
    }
    const path = `/data-source/${source.id}/permission/person/${a.id}`;
    assert.deepEqual(await service.ok('DELETE', path), { count: 2 });
    assert.deepEqual(await service.ok('DELETE', path), { count: 0 });
    assert.deepEqual(await service.ok('DELETE', `/person/${a.id}/permission`), { count: 1 });
    assert.deepEqual(await service.ok('DELETE', `/data-source/${other.id}/permission`), { count: 2 });
    assert.deepEqual(await service.ok('DELETE', `/person/${b.id}/permission`), { count: 1 });
    assert.deepEqual(await service.ok('DELETE', `/person/${b.id}/permission`), { count: 0 });
  });

  it('need a duration of 1 to 3,153,600,000 whole seconds and a start that exists', async () => {
    const { path } = await pair();
    for (const duration of ['', '0', '-1', '1.5', '1e3', '3153600001', '99999999999999999999', 'x', ' 1']) {
      assertFields(await service.call('POST', path, { form: { duration } }), 422, 'invalid_fields', ['duration']);
    }
    for (const startsAt of ['', 'now', '2026-02-31T00:00:00Z', '2026-12-01', '2026-12-01T09:00:00']) {
      const answer = await service.call('POST', path, { form: { duration: '1', startsAt } });
      assertFields(answer, 422, 'invalid_fields', ['startsAt']);
    }
    const last = { duration: '3153600000', startsAt: '9999-12-31T23:59:59Z' };
    assertFields(await service.call('POST', path, { form: last }), 422, 'invalid_fields', ['duration']);
    await service.ok('POST', path, { form: { duration: '3153600000' } });
  });

  it('are granted only to people and data sources that exist', async () => {
    const { person, source } = await pair();
    for (const path of [
      `/data-source/nothing/permission/person/${person.id}`,
      `/data-source/${source.id}/permission/person/nobody`,
    ]) {
      assertProblem(await service.call('POST', path, { form: { duration: '1' } }), 404, 'not_found');
      assertProblem(await service.call('GET', path), 404, 'not_found');
      assertProblem(await service.call('DELETE', path), 404, 'not_found');
    }
  });

  it('that no number can be are not found, or refused for their shape', async () => {
    assertProblem(await service.call('GET', '/permission/999999999999999999'), 404, 'not_found');
    for (const id of ['0', '01', 'abc', '1234567890123456789', '-1', '1.0']) {
      assertFields(await service.call('GET', `/permission/${id}`), 400, 'malformed_parameter', ['permission']);
    }
  });
});
