import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerOf } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { ProcessLease } from '../../../server/gateway/process-lease.ts';
import { deleteAbandonedSessions } from '../../../server/store/gateway-session.ts';
import { storeGatewaySessions } from '../support/gateway-session.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { askStore } from '../support/stores.ts';

const service = await startTestService({ adminRole: 'administrators' });
const make = makers(service);
const path = '/gateway-session';
const list = (search: string, offset = 0) =>
  service.ok<AnswerOf<'listGatewaySessions'>>('GET', `${path}?search=${search}&offset=${offset}`);

describe('the list of sessions of the gateway', () => {
  it('says who is connected to what, from where, by which process, and until when', async () => {
    const [person, dataSource] = [await make.person(), await make.dataSource()];
    const permission = await make.permission(dataSource.id, person.id, { duration: '600' });
    const [id] = await storeGatewaySessions(service, { person: person.id, dataSource: dataSource.id });
    const { sessions, isComplete } = await list(person.username);
    const [found] = sessions;
    assert.equal(sessions.length, 1);
    assert.equal(isComplete, true);
    assert.deepEqual(found, {
      id,
      person: { id: person.id, name: person.name, username: person.username, email: person.email },
      dataSource: { id: dataSource.id, name: dataSource.name, alias: dataSource.alias },
      protocol: 'postgresql',
      startedAt: found?.startedAt,
      until: permission.expiresAt,
      address: '192.0.2.7',
      client: 'psql',
      process: 'gateway-1/4711',
    });
    const { process: _process, person: _person, ...own } = found;
    const mine = await signedIn(service, person.id);
    assert.deepEqual(await mine.ok('listMyGatewaySessions', 'GET', path), [own]);
  });

  it('shows a person only their own, and lets them end no other', async () => {
    const [ada, ben, dataSource] = [await make.person(), await make.person(), await make.dataSource()];
    const [id] = await storeGatewaySessions(service, { person: ada.id, dataSource: dataSource.id });
    const other = await signedIn(service, ben.id);
    assert.deepEqual(await other.ok('listMyGatewaySessions', 'GET', path), []);
    assertProblem(await other.call('DELETE', `${path}/${id}`), 404, 'not_found');
    assertProblem(await other.call('GET', '/admin/gateway-session'), 403, 'not_administrator');
    assert.equal((await list(ada.username)).sessions.length, 1);
    const own = await signedIn(service, ada.id);
    assert.equal((await own.call('DELETE', `${path}/${id}`)).status, 200);
    assert.deepEqual((await list(ada.username)).sessions, []);
  });

  it('has pages', async () => {
    const [person, dataSource] = [await make.person(), await make.dataSource()];
    await storeGatewaySessions(service, { person: person.id, dataSource: dataSource.id, count: 101 });
    const [first, second] = [await list(person.username), await list(person.username, 100)];
    assert.deepEqual([first.sessions.length, first.isComplete], [100, false]);
    assert.deepEqual([second.sessions.length, second.isComplete], [1, true]);
    const ids = new Set([...first.sessions, ...second.sessions].map(({ id }) => id));
    assert.equal(ids.size, 101);
  });

  it('leaves out those of a process that has died, which are deleted later', async () => {
    const [person, dataSource] = [await make.person(), await make.dataSource()];
    const owner = { person: person.id, dataSource: dataSource.id };
    await storeGatewaySessions(service, { ...owner, leaseMs: -1 });
    const [old] = await storeGatewaySessions(service, { ...owner, leaseMs: -11 * 60_000 });
    const [live] = await storeGatewaySessions(service, owner);
    assert.deepEqual(
      (await list(person.username)).sessions.map(({ id }) => id),
      [live],
    );
    await withData(service.store, ({ store }) => store.write([], deleteAbandonedSessions));
    const rows = await askStore(service.store, 'select id from gateway_session where person_id = $1', [person.id]);
    assert.equal(rows.length, 2);
    assert.ok(!rows.some(({ id }) => id === old));
  });

  it('gets back those of a process that was out of reach for long', async () => {
    const [person, dataSource] = [await make.person(), await make.dataSource()];
    const lease = new ProcessLease();
    const from = { protocol: 'postgresql', address: '192.0.2.7', client: 'psql', atServer: null } as const;
    const [process, startedAt] = [lease.process.id, new Date().toISOString()];
    const session = { id: 'longLived', process, person: person.id, dataSource: dataSource.id, startedAt, ...from };
    await withData(service.store, ({ store }) => lease.renew(store, () => [session]));
    assert.equal((await list(person.username)).sessions[0]?.id, 'longLived');
  });
});
