import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@rolecall/api';
import { until } from '../person-api/in-editor.ts';
import { makers } from '../support/make.ts';
import { leaveIdle } from '../support/person.ts';
import { type Failure, type Protocol, protocols, useServer } from './protocols.ts';
import { type AtGateway, gatewayEntries } from './through-gateway.ts';

type Through = Awaited<ReturnType<Protocol['through']>>;

for (const protocol of protocols) await testEnds(protocol);

async function testEnds(protocol: Protocol): Promise<void> {
  const { skipped, uri, count } = await useServer(protocol);
  const running = (): Promise<number> => count(protocol.running('sleep('));
  const connected = (): Promise<number> => count(protocol.connected);

  /** Runs a statement that does not end by itself, lets something end its session, and says when the server was rid of it. */
  async function endOf(ada: Through, take: () => Promise<unknown>): Promise<Failure & { goneAt: number }> {
    const client = await ada.connect();
    const failed = client.failure(protocol.sleep(1000));
    await until(async () => (await running()) === 1);
    await take();
    const goneAt = await until(async () => (await running()) === 0);
    const failure = await failed;
    await until(async () => (await connected()) === 0);
    return { ...failure, goneAt };
  }

  describe(`a session through the gateway to ${protocol.name}`, skipped, () => {
    it('ends with the permission, neither early nor a second late, and says so', async () => {
      const ada = await protocol.through(uri);
      let expiresAt = 0;
      // Only once the statement runs: to get there may take longer than the permission lasts.
      const { message, code, goneAt } = await endOf(ada, async () => {
        const given = await makers(ada.service).permission(ada.source.id, ada.person.id, { duration: '5' });
        await ada.service.ok('DELETE', `/role/${ada.role}/person/${ada.person.id}`);
        expiresAt = Date.parse(given.expiresAt);
      });
      const late = goneAt - expiresAt;
      assert.ok(late >= 0 && late < 1000, `${late} ms after the end`);
      assert.equal(code, protocol.cutCode);
      assert.match(message, /^your access to source\d+ ended at .*Z with the permission/);
    });

    for (const [what, take] of Object.entries(endings(`${uri}?${protocol.someOption}`))) {
      it(`ends within a second when ${what}, with its statement`, async () => {
        const ada = await protocol.through(uri);
        let at = 0;
        const { code, goneAt } = await endOf(ada, async () => {
          await take(ada);
          at = Date.now();
        });
        assert.ok(goneAt - at < 1000, `${goneAt - at} ms later`);
        assert.equal(code, protocol.cutCode);
        if (!/changed|ends it/.test(what)) await assert.rejects(ada.connect(), 'it lets no one in again');
      });
    }

    it('goes on when its person is renamed, whose password opens others under the new name', async () => {
      const ada = await protocol.through(uri);
      const client = await ada.connect();
      const username = `${ada.person.username}-king`;
      await ada.service.ok('PATCH', `/person/${ada.person.id}`, { json: { username } });
      await assert.rejects(ada.connect(), 'the name before is nobody');
      Object.assign(ada.login, { user: username });
      const other = await ada.connect();
      for (const open of [client, other]) {
        assert.equal(Number((await open.rows(protocol.sleep(0)))[0]?.['a']), 0);
        await open.end();
      }
    });

    it('goes on when the end of its permission is moved, and ends at an earlier one', async () => {
      const ada = await protocol.through(uri);
      const { id, expiresAt } = await makers(ada.service).permission(ada.source.id, ada.person.id, { duration: '5' });
      const move = (json: object) => ada.service.ok<{ expiresAt: string }>('PATCH', `/permission/${id}`, { json });
      let movedTo = '';
      const { code, message, goneAt } = await endOf(ada, async () => {
        await move({ duration: 3600 });
        await ada.service.ok('DELETE', `/role/${ada.role}/person/${ada.person.id}`);
        await until(() => Date.now() > Date.parse(expiresAt) + 500);
        assert.equal(await running(), 1, 'cut at the end that was moved');
        movedTo = (await move({ duration: 10 })).expiresAt;
      });
      assert.ok(goneAt >= Date.parse(movedTo), 'cut before the new end');
      assert.equal(code, protocol.cutCode);
      assert.match(message, new RegExp(`with the permission ${id}`));
    });

    it('does not begin where its password ended while its database took its time', async (test) => {
      const { promise: turn, resolve: letOn } = Promise.withResolvers<undefined>();
      const slow = createServer((inner) => {
        void turn.then(() => {
          pipeline(inner, connect(Number(new URL(uri).port), '127.0.0.1'), inner, () => undefined);
        });
      }).listen(0, '127.0.0.1');
      test.after(() => slow.close());
      await once(slow, 'listening');
      const ada = await protocol.through(uri.replace(/:\d+\//, `:${(slow.address() as AddressInfo).port}/`));
      const connecting = once(slow, 'connection');
      const refused = assert.rejects(ada.connect(), /was ended/);
      await connecting;
      await ada.session.call('DELETE', `/gateway-password/${ada.passwordId}`);
      // Whatever ended less than a look ago ends the session with the next one.
      await sleep(300);
      letOn(undefined);
      await refused;
    });

    it('goes on when the sign-in that made it is over by idleness, lets no other one in, and ends with it', async () => {
      const ada = await protocol.through(uri);
      const client = await ada.connect();
      const { session } = ada.session;
      await leaveIdle(ada.service, session, 3601);
      await assert.rejects(ada.connect(), /the password is wrong, has ended/);
      // Longer than it takes the gateway to look what has ended.
      await client.rows(protocol.sleep(1));
      await ada.service.ok('DELETE', `/session/${session}`);
      assert.match((await client.lost).message, /the sign-in that made it, was ended/);
      await until(async () => (await connected()) === 0);
    });

    it('ends when it is idle, too', async () => {
      const ada = await protocol.through(uri);
      const { lost } = await ada.connect();
      await ada.service.ok('PUT', `/person/${ada.person.id}/lock`);
      assert.match((await lost).message, /your account is locked/);
      await until(async () => (await connected()) === 0);
    });

    it('stops its statement when the client is gone, and leaves no connection', async () => {
      const ada = await protocol.through(uri);
      const client = await ada.connect();
      client.rows(protocol.sleep(1000)).catch(() => undefined);
      await until(async () => (await running()) === 1);
      client.stream.destroy();
      await until(async () => (await connected()) === 0);
    });

    it('ends in order with the service: at rest at once, the others at the end of the grace period', async () => {
      const ada = await protocol.through(uri);
      const [idle, busy] = [await ada.connect(), await ada.connect()];
      const slow = busy.rows(protocol.sleep(1));
      await until(async () => (await running()) === 1);
      const closing = ada.service.close(0, 4000);
      assert.match((await idle.lost).message, /shutting down/);
      assert.equal(Number((await slow)[0]?.['a']), 0);
      await closing;
      await until(async () => (await connected()) === 0);
    });

    it('can be ended in the grace period, too', async () => {
      const ada = await protocol.through(uri);
      const client = await ada.connect();
      const failed = client.failure(protocol.sleep(1000));
      await until(async () => (await running()) === 1);
      const closing = ada.service.close(0, 4000);
      await ada.session.call('DELETE', `/gateway-password/${ada.passwordId}`);
      assert.match((await failed).message, /the password of this session/);
      await closing;
    });

    it('is in the audit trail from its beginning to its end, with who, from where and why', async () => {
      const ada = await protocol.through(uri);
      const client = await ada.connect('gateway-test');
      await client.rows('select 42');
      await client.end();
      const entries = () => gatewayEntries(ada);
      await until(async () => (await entries()).some(({ changes }) => changes[0]?.action === 'ended'));
      const own = await entries();
      assert.ok(own.every(({ actor }) => actor.type === 'person' && actor.id === ada.person.id));
      const changes = own.map(({ changes: [change] }) => change);
      assert.deepEqual(
        changes.map((change) => change?.action),
        ['created', 'statements run', 'ended'],
      );
      const [begun, , ended] = changes.map((change) => change?.after ?? {});
      assert.equal(begun?.['address'], '127.0.0.1');
      assert.equal(begun['client'], 'gateway-test');
      assert.equal(ended?.['reason'], 'the client left');
    });
  });
}

/** By what happens. @param configUri that the data source is changed to */
function endings(configUri: string): Readonly<Record<string, (ada: AtGateway) => Promise<unknown>>> {
  return {
    'the person is locked': ({ service, person }) => service.ok('PUT', `/person/${person.id}/lock`),
    'the membership is removed': ({ service, role, person }) =>
      service.ok('DELETE', `/role/${role}/person/${person.id}`),
    'the data source is deleted': ({ service, source }) => service.ok('DELETE', `/data-source/${source.id}`),
    'the data source is changed': ({ service, source }) =>
      service.ok('POST', `/data-source/${source.id}`, {
        form: { name: source.name, alias: source.alias ?? '', configUri },
      }),
    'the password is ended': ({ session, passwordId }) => session.call('DELETE', `/gateway-password/${passwordId}`),
    'the person ends it': async ({ session }) => {
      const [one] = await session.ok('listMyGatewaySessions', 'GET', '/gateway-session');
      await session.call('DELETE', `/gateway-session/${one?.id}`);
    },
    'an administrator ends it': async ({ service, person }) => {
      const { sessions } = await service.ok<AnswerOf<'listGatewaySessions'>>('GET', '/gateway-session');
      const [one] = sessions.filter((session) => session.person.id === person.id);
      await service.ok('DELETE', `/gateway-session/${one?.id}`);
    },
    'the sign-in that made the password is ended': ({ session }) => session.call('POST', '/sign-out', { json: {} }),
  };
}
