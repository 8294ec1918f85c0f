import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Editor, EditorDetail } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

/** A person who reaches a data source through a role, with a session. */
async function member() {
  const [person, source, role] = [await make.person(), await make.dataSource(), await make.role()];
  await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
  await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
  return { person, source, role, session: await signedIn(service, person.id) };
}

const open = ({ ok }: SignedIn, source: string) => ok('openEditor', 'POST', `/data-source/${source}/editor`);

describe("a person's editor", () => {
  it('is opened once on a data source, also by two windows at a time, and administrators see it', async () => {
    const { person, source, session } = await member();
    const [one, two] = await Promise.all([open(session, source.id), open(session, source.id)]);
    assert.deepEqual(one, two);
    assert.deepEqual(
      one.tabs.map(({ title, version }) => [title, version]),
      [['Untitled 1', 1]],
    );
    const { tabs: _tabs, ...listed } = one;
    assert.deepEqual(await session.ok('listMyEditors', 'GET', '/editor'), [listed]);
    assert.deepEqual(await service.ok<Editor[]>('GET', `/person/${person.id}/editor`), [listed]);
    const detail = await service.ok<EditorDetail>('GET', `/editor/${one.id}/detail`);
    assert.deepEqual(detail.tabs[0]?.title, 'Untitled 1');
  });

  it('keeps texts as they were typed, and two windows never overwrite each other unseen', async () => {
    const { source, session } = await member();
    const { id, tabs } = await open(session, source.id);
    const path = `/editor/${id}/tab/${tabs[0]?.id}`;
    const typed = '  select 1;\r\n\t-- ü 🚀\n';
    const first = await session.ok('changeTab', 'POST', path, { json: { text: typed, version: 1 } });
    assert.deepEqual([first.saved, first.tab.version, first.tab.text], [true, 2, typed]);
    const other = await session.ok('changeTab', 'POST', path, { json: { text: 'select 2', version: 1 } });
    assert.deepEqual(other, { saved: false, tab: first.tab });
    const renamed = await session.ok('changeTab', 'POST', path, { json: { title: 'Top customers', version: 2 } });
    assert.deepEqual([renamed.saved, renamed.tab.title, renamed.tab.text], [true, 'Top customers', typed]);
    assert.deepEqual(await session.ok('getTab', 'GET', path), renamed.tab);
    const raced = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => session.ok('changeTab', 'POST', path, { json: { text, version: 3 } })),
    );
    assert.equal(raced.filter(({ saved }) => saved).length, 1);
  });

  it('has tabs, which are made and deleted, within bounds', async () => {
    const { source, session } = await member();
    const { id, tabs } = await open(session, source.id);
    const made = await session.ok('createTab', 'POST', `/editor/${id}/tab`, {
      json: { title: 'Two', text: 'select 2' },
    });
    assert.equal((await session.ok('getMyEditor', 'GET', `/editor/${id}`)).tabs.length, 2);
    await session.ok('deleteTab', 'DELETE', `/editor/${id}/tab/${made.id}`);
    assertProblem(await session.call('GET', `/editor/${id}/tab/${made.id}`), 404, 'not_found');
    const long = { title: 'Long', text: 'x'.repeat(200_001) };
    assertProblem(await session.call('POST', `/editor/${id}/tab`, { json: long }), 422, 'invalid_fields');
    const create = (title: string) => session.call('POST', `/editor/${id}/tab`, { json: { title } });
    const created = await Promise.all(Array.from({ length: 100 - tabs.length }, (_, count) => create(`${count}`)));
    assert.ok(created.every(({ status }) => status === 200));
    assertProblem(await create('one too many'), 409, 'limit_reached');
    await session.ok('deleteMyEditor', 'DELETE', `/editor/${id}`);
    assert.deepEqual(await session.ok('listMyEditors', 'GET', '/editor'), []);
  });

  it('stays listed when access ends, unreadable, and is there again when it returns', async () => {
    const { person, source, role, session } = await member();
    const { id, tabs } = await open(session, source.id);
    const tab = `/editor/${id}/tab/${tabs[0]?.id}`;
    await session.ok('changeTab', 'POST', tab, { json: { text: 'select 1', version: 1 } });
    await service.ok('DELETE', `/role/${role.id}/person/${person.id}`);
    assert.equal((await session.ok('listMyEditors', 'GET', '/editor')).length, 1);
    const attempts: [string, string, object?][] = [
      ['GET', `/editor/${id}`],
      ['GET', tab],
      ['POST', tab, { text: 'select 2', version: 2 }],
      ['DELETE', tab],
      ['POST', `/editor/${id}/tab`, { title: 'Two' }],
      ['POST', `/editor/${id}/query`, { commands: ['select 1'] }],
    ];
    for (const [method, path, json] of attempts) {
      const answer = await session.call(method, path, json === undefined ? {} : { json });
      assertProblem(answer, 403, 'access_ended');
      assert.match(answer.text, new RegExp(`your access to ${source.alias} was taken away`));
    }
    // Of a data source that they do not reach, they are told nothing.
    assertProblem(await session.call('POST', `/data-source/${source.id}/editor`), 404, 'not_found');
    await make.permission(source.id, person.id);
    assert.equal((await session.ok('getTab', 'GET', tab)).text, 'select 1');
  });

  it('is no editor of another person', async () => {
    const { source, role, session } = await member();
    const { id, tabs } = await open(session, source.id);
    const ben = await make.person();
    await service.ok('PUT', `/role/${role.id}/person/${ben.id}`);
    const other = await signedIn(service, ben.id);
    for (const path of [`/editor/${id}`, `/editor/${id}/tab/${tabs[0]?.id}`]) {
      assertProblem(await other.call('GET', path), 404, 'not_found');
    }
    const own = await open(other, source.id);
    assert.notEqual(own.id, id);
    // Neither by way of their own editor.
    assertProblem(await other.call('GET', `/editor/${own.id}/tab/${tabs[0]?.id}`), 404, 'not_found');
    const json = { commands: ['select 1'], tab: tabs[0]?.id };
    assertProblem(await other.call('POST', `/editor/${own.id}/query`, { json }), 404, 'not_found');
  });
});
