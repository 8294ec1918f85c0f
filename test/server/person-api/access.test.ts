import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe("a person's access", () => {
  it('has nothing of the connection: no password, no user, no host', async () => {
    const ada = await make.person();
    const { id } = await make.dataSource({ configUri: 'postgresql://hidden-user:hidden-password@hidden.internal/x' });
    await make.permission(id, ada.id);
    const { call } = await signedIn(service, ada.id);
    const opened = await call('POST', `/data-source/${id}/editor`);
    assert.equal(opened.status, 200, opened.text);
    const answers = [opened];
    for (const path of ['/access', `/access/${id}`, '/editor', '/query', '/gateway-password']) {
      answers.push(await call('GET', path));
    }
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    for (const { text } of answers.slice(0, 4)) assert.ok(text.includes(id), text);
    for (const { text } of answers) assert.doesNotMatch(text, /hidden/);
  });

  it('names every data source that is reached, will be or was lately, through what and until when', async () => {
    const [ada, ben] = [await make.person(), await make.person()];
    const [byRole, timed, later, over, old, others] = [
      await make.dataSource(),
      await make.dataSource(),
      await make.dataSource(),
      await make.dataSource(),
      await make.dataSource(),
      await make.dataSource(),
    ];
    const role = await make.role('analysts');
    const managed = { headers: { 'rolecall-manager': 'rolecall/acme' } };
    await service.ok('PUT', `/role/${role.id}/person/${ada.id}`, managed);
    await service.ok('PUT', `/role/${role.id}/data-source/${byRole.id}`);
    const first = await make.permission(timed.id, ada.id, { duration: '600' });
    const second = await make.permission(timed.id, ada.id, { duration: '900', startsAt: inSeconds(300) });
    const next = await make.permission(later.id, ada.id, { duration: '60', startsAt: inSeconds(3600) });
    const ended = await make.permission(over.id, ada.id, { duration: '60', startsAt: inSeconds(-3600) });
    await make.permission(old.id, ada.id, { duration: '60', startsAt: inSeconds(-31 * 86_400) });
    await make.permission(others.id, ben.id);
    const { call, ok } = await signedIn(service, ada.id);

    const { dataSources, isComplete } = await ok('listMyAccess', 'GET', '/access');
    assert.equal(isComplete, true);
    assert.deepEqual(
      dataSources.map(({ dataSource, allowed, until }) => [dataSource.id, allowed, until]),
      [
        [byRole.id, true, null],
        // The permissions overlap, so they count as one.
        [timed.id, true, second.expiresAt],
        [later.id, false, null],
        [over.id, false, null],
      ],
    );
    const [one, two, three, four] = dataSources;
    assert.deepEqual(one?.dataSource, { id: byRole.id, name: byRole.name, alias: byRole.alias, type: 'sqlite' });
    assert.deepEqual(
      one.through.map(({ through, name, expiresAt, managedBy }) => [through, name, expiresAt, managedBy]),
      [['role', 'analysts', null, 'rolecall/acme']],
    );
    assert.deepEqual([two?.through[0]?.id, two?.upcoming[0]?.id], [first.id, second.id]);
    assert.equal(three?.upcoming[0]?.startsAt, next.startsAt);
    assert.match(
      String(three.detail),
      new RegExp(`^your access to ${later.alias} begins at .*Z with the permission ${next.id}$`),
    );
    assert.deepEqual(four?.ended[0]?.id, ended.id);
    assert.match(
      String(four.detail),
      new RegExp(`your access to ${over.alias} ended at .*Z with the permission ${ended.id}$`),
    );

    assert.deepEqual(await ok('getMyAccess', 'GET', `/access/${over.id}`), four);
    for (const id of [others.id, 'unknown']) {
      const answer = await call('GET', `/access/${id}`);
      assertProblem(answer, 404, 'not_found');
      assert.match(answer.text, new RegExp(`you reach no data source ${id}"`));
    }
  });

  it('follows a change at the next question', async () => {
    const [ada, source] = [await make.person(), await make.dataSource()];
    const { ok } = await signedIn(service, ada.id, { kind: 'command_line' });
    assert.deepEqual((await ok('listMyAccess', 'GET', '/access')).dataSources, []);
    const grant = await make.permission(source.id, ada.id, { duration: '3' });
    const [begun] = (await ok('listMyAccess', 'GET', '/access')).dataSources;
    assert.deepEqual([begun?.allowed, begun?.until], [true, grant.expiresAt]);
    await sleep(Date.parse(grant.expiresAt) - Date.now() + 20);
    assert.equal((await ok('getMyAccess', 'GET', `/access/${source.id}`)).allowed, false);
  });
});
