import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerOf } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { findPasswords } from '../../../server/gateway/passwords.ts';
import { makers } from '../support/make.ts';
import { leaveIdle, settleUse, signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { askStore } from '../support/stores.ts';

const service = await startTestService();
const make = makers(service);

/** A person who reaches a data source, with the session that made a password for it. */
async function withPassword() {
  const [person, source] = [await make.person(), await make.dataSource()];
  const startsAt = new Date(Date.now() - 60_000).toISOString();
  await make.permission(source.id, person.id, { duration: '600', startsAt });
  const session = await signedIn(service, person.id);
  const path = `/data-source/${source.id}/gateway-password`;
  const { id } = await session.ok('createGatewayPassword', 'POST', path, { json: {} });
  const opens = () =>
    withData(service.store, async ({ store, seal }) =>
      store.read(async (executor) => {
        const wanted = { username: person.username, dataSource: source.id, now: Date.now() };
        return (await findPasswords(executor, seal, wanted)).length > 0;
      }),
    );
  return { person, session, id, opens };
}

describe('a password for the gateway', () => {
  it('opens nothing once its session is over by idleness, and is in no list, as that session is in none', async () => {
    const { person, session, id, opens } = await withPassword();
    const other = await signedIn(service, person.id);
    const passwords = async () =>
      (await other.ok('listMyGatewayPasswords', 'GET', '/gateway-password')).map((one) => one.id);
    const sessions = async () => (await other.ok('listMySessions', 'GET', '/session')).map((one) => one.id);
    await settleUse(service, session);
    await leaveIdle(service, session.session, 1800);
    assert.equal(await opens(), true);
    assert.deepEqual(await passwords(), [id]);
    assert.ok((await sessions()).includes(session.session));
    await leaveIdle(service, session.session, 3600);
    assert.equal(await opens(), false);
    assert.deepEqual(await passwords(), []);
    assert.ok(!(await sessions()).includes(session.session));
    const all = await service.ok<AnswerOf<'listSessions'>>('GET', '/session');
    assert.ok(!all.some((one) => one.id === session.session));
    assert.equal((await session.call('GET', '/me')).status, 401);
  });

  it('goes by the time without a request that its service has, whichever process is asked', async () => {
    const { session, opens } = await withPassword();
    await settleUse(service, session);
    await askStore(service.store, 'update person_session set idle_seconds = 600 where id = $1', [session.session]);
    await leaveIdle(service, session.session, 300);
    assert.equal(await opens(), true);
    await leaveIdle(service, session.session, 601);
    assert.equal(await opens(), false);
  });

  it('is refused in words where its session ends in the same moment', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    await make.permission(source.id, person.id, {
      duration: '600',
      startsAt: new Date(Date.now() - 60_000).toISOString(),
    });
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round += 1) {
      const { call, session } = await signedIn(service, person.id);
      const asked = Array.from({ length: 4 }, () =>
        call('POST', `/data-source/${source.id}/gateway-password`, { json: {} }),
      );
      const ended = call('DELETE', `/session/${session}`);
      for (const { status } of await Promise.all(asked)) statuses.add(status);
      assert.equal((await ended).status, 200);
    }
    for (const status of statuses) assert.ok([200, 401].includes(status), String(status));
    assert.ok(statuses.has(401), 'no session ended in time');
  });
});
