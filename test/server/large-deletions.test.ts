import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerOf } from '@rolecall/api';
import { makers } from './support/make.ts';
import { startTestService } from './support/service.ts';
import { askStore } from './support/stores.ts';

/** More than one statement deletes at once, and more than one entry shows. */
const count = 2100;
type AuditEntry = AnswerOf<'listAuditEntries'>[number];

const at = '2026-01-01T00:00:00.000Z';
const numbers = `with recursive number(n) as (select 1 union all select n + 1 from number where n < ${count})`;

describe('deleting an object that thousands of rows belong to', async () => {
  const service = await startTestService();
  const make = makers(service);
  const insert = (text: string) => askStore(service.store, `${numbers} ${text}`);
  const permissions = (person: string, dataSource: string) =>
    insert(`insert into permission (person_id, data_source_id, starts_at, expires_at, created_at)
      select '${person}', '${dataSource}', '${at}', '2027-01-01T00:00:00.000Z', '${at}' from number`);
  const messages = (editor: string) =>
    insert(`insert into editor_message (id, editor_id, title, message, created_at)
      select '${editor}-' || n, '${editor}', 'a', 'b', '${at}' from number`);
  const versions = (snippet: string, maker: string | null) =>
    insert(`insert into snippet_version (id, snippet_id, name, description, text, created_by_person_id, created_at)
      select '${snippet}-' || n, '${snippet}', 'a', '', 'b', ${maker === null ? 'null' : `'${maker}'`}, '${at}' from number`);

  async function remaining(table: string, column: string, id: string): Promise<number> {
    const [row] = await askStore(service.store, `select count(*) as n from ${table} where ${column} = '${id}'`);
    return Number(row?.['n']);
  }

  async function entriesOf(operation: string): Promise<AuditEntry[]> {
    const all = await service.ok<AuditEntry[]>('GET', '/audit?limit=1000');
    return all.filter((entry) => entry.operation === operation);
  }

  function assertWhole(entries: readonly AuditEntry[], kind: string): void {
    const changes = entries.flatMap((entry) => entry.changes);
    assert.equal(new Set(entries.map(({ requestId }) => requestId)).size, 1);
    assert.ok(entries.every((entry) => entry.changes.length <= 1000));
    assert.equal(new Set(changes.filter((change) => change.kind === kind).map(({ id }) => id)).size, count);
    assert.deepEqual(
      changes.filter(({ along }) => along === undefined).map(({ action }) => action),
      ['deleted'],
    );
  }

  it('leaves nothing of a person, and entries of at most 1,000 changes name all of it', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    const editor = await make.editor(person, source);
    const snippet = await make.snippet({ owner: 'person', ownerPersonId: person.id });
    await permissions(person.id, source.id);
    await messages(editor.id);
    await versions(snippet.id, person.id);
    await insert(`insert into query (id, data_source_id, created_at, completed_at, lease_until, person_id, editor_id)
      select 'of-person-' || n, '${source.id}', '${at}', '2099-01-01T00:00:00.000Z', '${at}', '${person.id}', '${editor.id}' from number`);
    await service.ok('PUT', `/person/${person.id}/lock`);
    await service.ok('DELETE', `/person/${person.id}`);
    const left = await Promise.all([
      remaining('permission', 'person_id', person.id),
      remaining('editor', 'person_id', person.id),
      remaining('editor_message', 'editor_id', editor.id),
      remaining('snippet_version', 'created_by_person_id', person.id),
      remaining('snippet_version', 'snippet_id', snippet.id),
      remaining('query', 'person_id', person.id),
      remaining('query', 'editor_id', editor.id),
      remaining('query', 'data_source_id', source.id),
    ]);
    assert.deepEqual(left, [0, 0, 0, 0, count + 1, 0, 0, count]);
    const entries = await entriesOf('deletePerson');
    assertWhole(entries, 'permission');
    assertWhole(entries, 'snippet_version');
    const disowned = entries.flatMap(({ changes }) => changes).find(({ kind }) => kind === 'snippet');
    const { id, name, action, before, after, along } = disowned ?? {};
    const expected = [snippet.id, 'Top customers', 'changed', { ownerPerson: person.id }, { ownerPerson: null }, true];
    assert.deepEqual([id, name, action, before, after, along], expected);
  });

  it('leaves nothing of a data source', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    await permissions(person.id, source.id);
    await insert(`insert into role (id, name, created_at, updated_at)
      select 'r' || n, 'r' || n, '${at}', '${at}' from number`);
    await insert(`insert into role_data_source (role_id, data_source_id, assigned_at)
      select 'r' || n, '${source.id}', '${at}' from number`);
    await insert(`insert into query (id, data_source_id, created_at, completed_at, lease_until)
      select 'q' || n, '${source.id}', '${at}', '2099-01-01T00:00:00.000Z', '${at}' from number`);
    await service.ok('DELETE', `/data-source/${source.id}`);
    const left = ['permission', 'role_data_source', 'query'].map((table) =>
      remaining(table, 'data_source_id', source.id),
    );
    assert.deepEqual(await Promise.all(left), [0, 0, 0]);
    const entries = await entriesOf('deleteDataSource');
    for (const kind of ['permission', 'role_data_source', 'query']) assertWhole(entries, kind);
  });

  it('leaves nothing of a role and of a snippet', async () => {
    const [role, snippet] = [await make.role(), await make.snippet()];
    await insert(`insert into person (id, name, username, username_key, email, email_key, created_at)
      select 'p' || n, 'a', 'p' || n, 'p' || n, 'p' || n, 'p' || n, '${at}' from number`);
    await insert(`insert into role_person (role_id, person_id, assigned_at)
      select '${role.id}', 'p' || n, '${at}' from number`);
    await versions(snippet.id, null);
    await service.ok('DELETE', `/role/${role.id}`);
    await service.ok('DELETE', `/snippet/${snippet.id}`);
    assert.equal(await remaining('role_person', 'role_id', role.id), 0);
    assert.equal(await remaining('snippet_version', 'snippet_id', snippet.id), 0);
    assertWhole(await entriesOf('deleteRole'), 'role_person');
  });

  it('counts what one call deletes of permissions', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    for (const path of [
      `/person/${person.id}/permission`,
      `/data-source/${source.id}/permission`,
      `/data-source/${source.id}/permission/person/${person.id}`,
    ]) {
      await permissions(person.id, source.id);
      assert.deepEqual(await service.ok('DELETE', path), { count });
    }
  });
});
