import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { DataSourceDetail, Person } from '@rolecall/api';
import { Gate } from '../../../server/access/gate.ts';
import type { Denial } from '../../../server/access/reach.ts';
import { openData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const data = await openData(service.store, service.store.environment);
const gate = new Gate({ store: data.store, onError: assert.ifError });
after(async () => {
  await gate.close();
  await Promise.all([data.store.close(), data.spool.close()]);
});

describe('a change by the API, seen by the gate of another process', () => {
  interface End {
    denial: Denial;
    /** Milliseconds since 1970. */
    at: number;
  }

  /** Enters, and gives the end. It is wrapped, since a function that gave the promise itself would wait for it. */
  async function enter(person: Person, source: DataSourceDetail): Promise<{ end: Promise<End> }> {
    const ended = Promise.withResolvers<End>();
    const { reach } = await gate.enter(person.id, source.id, (denial) => {
      ended.resolve({ denial, at: Date.now() });
    });
    assert.ok(reach.allowed);
    return { end: ended.promise };
  }

  /** Lets a new person into a new data source through a new role. */
  async function enterByRole() {
    const [person, source, role] = [await make.person(), await make.dataSource(), await make.role()];
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    return { person: person.id, source: source.id, role: role.id, ...(await enter(person, source)) };
  }

  const takings: [
    string,
    Denial['reason'],
    (ids: { person: string; source: string; role: string }) => [string, string],
  ][] = [
    // The service deletes only people who are locked, so a deletion ends no passage that the lock has not.
    ['a lock', 'person_locked', ({ person }) => ['PUT', `/person/${person}/lock`]],
    ['a deleted data source', 'data_source_deleted', ({ source }) => ['DELETE', `/data-source/${source}`]],
    ['a deleted role', 'not_granted', ({ role }) => ['DELETE', `/role/${role}`]],
    ['a person who leaves the role', 'not_granted', ({ role, person }) => ['DELETE', `/role/${role}/person/${person}`]],
    [
      'a data source that leaves it',
      'not_granted',
      ({ role, source }) => ['DELETE', `/role/${role}/data-source/${source}`],
    ],
  ];
  for (const [what, reason, call] of takings) {
    it(`ends the passage within a second: ${what}`, async () => {
      const { end, ...ids } = await enterByRole();
      await service.ok(...call(ids));
      const answered = Date.now();
      const { denial, at } = await end;
      assert.equal(denial.reason, reason);
      assert.ok(at - answered < 1000, `${at - answered} ms after the answer`);
    });
  }

  it('ends it at the end of a permission, never early, and not where the person keeps another way', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    const grant = await make.permission(source.id, person.id, { duration: '2' });
    const { end } = await enter(person, source);
    const later = await make.permission(source.id, person.id, { duration: '3' });
    const { denial, at } = await end;
    assert.deepEqual(denial.reason === 'access_ended' ? [denial.grant.id, denial.grant.until] : denial, [
      later.id,
      Date.parse(later.expiresAt),
    ]);
    const late = at - Date.parse(later.expiresAt);
    assert.ok(late >= 0 && late < 1000, `${late} ms after the end`);
    assert.ok(at > Date.parse(grant.expiresAt) + 500, 'the first permission ended nothing');
    const again = await gate.reach(person.id, source.id);
    assert.deepEqual([again.allowed, !again.allowed && again.reason], [false, 'access_ended']);
  });

  it('begins and ends it at the times that a person has in a role, never early, with no one running anything', async () => {
    const { person, source, role, end } = await enterByRole();
    const path = `/role/${role}/person/${person}/windows`;
    const first = Date.now() + 2000;
    const from = first + 1000;
    const until = from + 2000;
    const windows = [
      { expiresAt: new Date(first).toISOString() },
      { startsAt: new Date(from).toISOString(), expiresAt: new Date(until).toISOString() },
    ];
    await service.ok('PUT', path, { json: { windows } });
    const { denial, at } = await end;
    assert.deepEqual(
      denial.reason === 'access_ended' && [denial.grant.through, denial.grant.until, denial.next?.from],
      ['role', first, from],
    );
    assert.ok(at >= first && at - first < 1000, `${at - first} ms after the end`);
    let begun = await gate.reach(person, source);
    while (!begun.allowed && Date.now() < until) begun = await gate.reach(person, source);
    assert.ok(begun.allowed && Date.now() >= from, 'the second time has begun, and not before its start');
    assert.equal(begun.until, until);
    const again = await enter({ id: person } as Person, { id: source } as DataSourceDetail);
    const last = await again.end;
    assert.ok(last.at >= until && last.at - until < 1000, `${last.at - until} ms after the end`);
  });

  it('ends it within a second where the times of a role are changed, and lets it go on where they are taken away', async () => {
    const { person, source, role, end } = await enterByRole();
    const windows = (startsAt: number) => ({ json: { windows: [{ startsAt: new Date(startsAt).toISOString() }] } });
    const path = `/role/${role}/person/${person}`;
    await service.ok('PUT', `${path}/windows`, windows(Date.now() - 60_000));
    await service.ok('PUT', `${path}/windows`, windows(Date.now() + 60_000));
    const answered = Date.now();
    const { denial, at } = await end;
    assert.equal(denial.reason, 'access_upcoming');
    assert.ok(at - answered < 1000, `${at - answered} ms after the answer`);
    await service.ok('PUT', path);
    const reach = await gate.reach(person, source);
    assert.deepEqual([reach.allowed, reach.allowed && reach.until], [true, Infinity]);
  });

  it('lets a person in as soon as access is granted, and no other person', async () => {
    const [person, other, source] = [await make.person(), await make.person(), await make.dataSource()];
    await make.permission(source.id, person.id);
    assert.equal((await gate.reach(person.id, source.id)).allowed, true);
    const denied = await gate.reach(other.id, source.id);
    assert.deepEqual(denied, { allowed: false, reason: 'not_granted' });
  });

  it('lets a person in at once where the clock of the process that granted it is ahead of the store', async () => {
    const ahead = await startTestService({ clock: () => new Date(Date.now() + 300_000) });
    const [person, source] = [await makers(ahead).person(), await makers(ahead).dataSource()];
    await makers(ahead).permission(source.id, person.id);
    const other = await openData(ahead.store, ahead.store.environment);
    const own = new Gate({ store: other.store, onError: assert.ifError });
    try {
      assert.equal((await own.reach(person.id, source.id)).allowed, true);
      const { sources } = await own.reachAll(person.id);
      assert.deepEqual(
        sources.map(({ reach }) => reach.allowed),
        [true],
      );
    } finally {
      await own.close();
      await Promise.all([other.store.close(), other.spool.close()]);
    }
  });
});
