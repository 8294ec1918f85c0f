import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

/** What administrators do for others by the person's API. */
const adminRole = 'administrators';
const service = await startTestService({ adminRole });
const make = makers(service);
const role = await make.role(adminRole);

async function newAdministrator(provenAt?: number) {
  const person = await make.person({ name: 'Admin Istrator' });
  await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
  return { person, session: await signedIn(service, person.id, provenAt === undefined ? {} : { provenAt }) };
}

const codeOf = ({ body }: { body: unknown }) => (body as { code?: string } | undefined)?.code;

describe('the administration', () => {
  it('lists who reaches what, through what and by whom it was declared, searched and in pages', async () => {
    const { session } = await newAdministrator();
    const person = await make.person({ name: 'Grace 100%_' });
    const source = await make.dataSource({ name: 'Shop' });
    await make.permission(source.id, person.id);
    const crew = await make.role();
    await service.ok('PUT', `/role/${crew.id}/data-source/${source.id}`);
    await service.ok('PUT', `/role/${crew.id}/person/${person.id}`, {
      headers: { 'rolecall-manager': 'rolecall/acme' },
    });
    const found = await session.ok('listGrants', 'GET', `/admin/grant?search=${encodeURIComponent('100%_')}`);
    const lines = found.grants.map((one) => `${one.through} ${one.role ?? ''} ${one.managedBy ?? ''}`).sort();
    assert.deepEqual(lines, ['permission  ', `role ${crew.name} rolecall/acme`]);
    assert.equal(found.isComplete, true);
    const none = await session.ok('listGrants', 'GET', `/admin/grant?search=${encodeURIComponent('100__')}`);
    assert.deepEqual(none.grants, []);
    const all = await session.ok('listGrants', 'GET', '/admin/grant');
    const rest = await session.ok('listGrants', 'GET', '/admin/grant?offset=1');
    assert.deepEqual(rest.grants, all.grants.slice(1));
    assert.equal((await session.call('GET', '/admin/grant?offset=100001')).status, 400);
    assert.equal((await session.call('GET', `/admin/grant?search=${'x'.repeat(101)}`)).status, 400);
  });

  it("ends anyone's session, and makes a link, just after a proof, and records who did it", async () => {
    const { person, session } = await newAdministrator();
    const { session: stale } = await newAdministrator(0);
    const other = await make.person();
    const theirs = await signedIn(service, other.id);
    const ending = ['DELETE', `/admin/session/${theirs.session}`] as const;
    const inviting = ['POST', `/admin/person/${other.id}/invitation`] as const;
    for (const [method, path] of [ending, inviting]) {
      assert.equal(codeOf(await stale.call(method, path)), 'recent_sign_in_required');
    }
    assert.ok((await session.ok('listAllSessions', 'GET', '/admin/session')).some(({ id }) => id === theirs.session));
    await session.ok('endAnySession', ...ending);
    assert.equal((await theirs.call('GET', '/me')).status, 401);
    const { link } = await session.ok('inviteAnyone', ...inviting);
    assert.match(link ?? '', /\/enrol#/);
    const invited = await session.ok('listInvited', 'GET', '/admin/invitation');
    assert.ok(invited.some((one) => one.person.id === other.id && one.expiresAt !== null));
    const entries = await service.ok<{ operation: string; actor: { type: string; id: string } }[]>(
      'GET',
      '/audit?limit=1000',
    );
    for (const operation of ['endAnySession', 'inviteAnyone']) {
      const entry = entries.find((one) => one.operation === operation);
      assert.deepEqual(entry?.actor, { type: 'person', id: person.id }, operation);
    }
  });

  it('posts messages in editors, lists and deletes them', async () => {
    const { session } = await newAdministrator();
    const [person, source] = [await make.person(), await make.dataSource({ name: 'Ledger' })];
    const editor = await make.editor(person, source);
    const { editors } = await session.ok('listAllEditors', 'GET', '/admin/editor?search=ledger');
    assert.deepEqual(
      editors.map(({ id }) => id),
      [editor.id],
    );
    const path = `/admin/editor/${editor.id}/message`;
    const message = await session.ok('postMessage', 'POST', path, { json: { title: 'Tonight', message: 'Read-only' } });
    assert.deepEqual(await session.ok('listMessages', 'GET', path), [message]);
    await session.ok('deleteMessage', 'DELETE', `${path}/${message.id}`);
    assert.deepEqual(await session.ok('listMessages', 'GET', path), []);
    assert.equal((await session.call('GET', '/admin/editor/abcdefghijkl/message')).status, 404);
  });

  it('lists the queries that run, and answers a cancel of one that is over', async () => {
    const { session } = await newAdministrator();
    assert.deepEqual(await session.ok('listRunningQueries', 'GET', '/admin/query'), []);
    assert.equal((await session.call('POST', `/admin/query/${crypto.randomUUID()}/cancel`)).status, 404);
  });
});
