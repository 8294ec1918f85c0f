import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makers } from '../support/make.ts';
import { assertFields, assertProblem, assertRecent, shortId } from '../support/match.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

async function editorWith(tabs?: { title: string; text: string }[]) {
  const [person, source] = [await make.person(), await make.dataSource()];
  return { person, source, editor: await make.editor(person, source, tabs) };
}

describe('editors', () => {
  it('are shown by themselves, in every list that they belong to, and with their tabs in detail', async () => {
    const tabs = [
      { title: 'One', text: 'select 1' },
      { title: 'Two', text: '' },
    ];
    const { person, source, editor } = await editorWith(tabs);
    const { id, createdAt, updatedAt, ...rest } = editor;
    assert.match(id, shortId);
    assertRecent(createdAt);
    assertRecent(updatedAt);
    assert.deepEqual(rest, {
      dataSource: { id: source.id, name: source.name, alias: source.alias },
      person: { id: person.id, name: person.name, username: person.username, email: person.email },
    });
    assert.deepEqual(await service.ok('GET', `/editor/${id}`), editor);
    assert.deepEqual((await service.ok<unknown[]>('GET', '/editor')).at(-1), editor);
    assert.deepEqual(await service.ok('GET', `/person/${person.id}/editor`), [editor]);
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}/editor`), [editor]);
    const { tabs: shown, ...same } = await service.ok<{ tabs: Record<string, string>[] }>(
      'GET',
      `/editor/${id}/detail`,
    );
    assert.deepEqual(same, editor);
    assert.deepEqual(
      shown.map(({ title, text }) => ({ title, text })),
      tabs,
    );
    for (const tab of shown) assert.deepEqual(Object.keys(tab).sort(), ['createdAt', 'id', 'text', 'title']);
  });

  it('take messages as JSON, list them oldest first, and let them be deleted', async () => {
    const { editor } = await editorWith();
    const path = `/editor/${editor.id}/message`;
    assert.deepEqual(await service.ok('GET', path), []);
    const json = { title: 'Maintenance tonight', message: 'Read-only from 22:00.\nSorry.' };
    const message = await service.ok('POST', path, { json });
    const { id, createdAt, ...rest } = message;
    assert.match(String(id), shortId);
    assertRecent(String(createdAt));
    assert.deepEqual(rest, { ...json, editorId: editor.id });
    const second = await service.ok('POST', path, { json: { ...json, title: 'Second' } });
    assert.deepEqual(await service.ok('GET', path), [message, second]);
    assert.deepEqual(await service.ok('DELETE', `${path}/${String(id)}`), {});
    assert.deepEqual(await service.ok('GET', path), [second]);
    assertProblem(await service.call('DELETE', `${path}/${String(id)}`), 404, 'not_found');
  });

  it('take no message as a form, and none without its fields', async () => {
    const { editor } = await editorWith();
    const path = `/editor/${editor.id}/message`;
    const form = { title: 'x', message: 'y' };
    assertProblem(await service.call('POST', path, { form }), 415, 'unsupported_media_type');
    assertFields(await service.call('POST', path, { json: {} }), 422, 'invalid_fields', ['title', 'message']);
  });

  it('do not delete the message of another editor', async () => {
    const [one, other] = [await editorWith(), await editorWith()];
    const { id } = await service.ok('POST', `/editor/${one.editor.id}/message`, { json: { title: 'x', message: 'y' } });
    const answer = await service.call('DELETE', `/editor/${other.editor.id}/message/${String(id)}`);
    assertProblem(answer, 404, 'not_found');
    assert.equal((await service.ok<unknown[]>('GET', `/editor/${one.editor.id}/message`)).length, 1);
  });

  it('that do not exist are not found by any operation', async () => {
    const json = { title: 'x', message: 'y' };
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/detail'],
      ['GET', '/message'],
      ['DELETE', '/message/none'],
    ] as const) {
      assertProblem(await service.call(method, `/editor/nothing${rest}`), 404, 'not_found');
    }
    assertProblem(await service.call('POST', '/editor/nothing/message', { json }), 404, 'not_found');
  });
});
