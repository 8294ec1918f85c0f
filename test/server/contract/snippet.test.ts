import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Person, Snippet } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertFields, assertProblem, assertRecent, shortId, timestamp, uuid } from '../support/match.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

const reference = ({ id, name, username, email }: Person) => ({ id, name, username, email });
const read = (id: string) => service.ok<Snippet>('GET', `/snippet/${id}`);

describe('snippets', () => {
  it('are created with their first version in use', async () => {
    const snippet = await service.ok('POST', '/snippet', {
      form: {
        name: 'Top customers',
        description: 'Revenue by customer',
        text: 'select customer\nfrom invoice',
        isLocked: 'true',
        publicAccessLevel: 'read_only',
        owner: 'none',
        ownerPersonId: '',
        ownerRoleId: '',
      },
    });
    const { id, activeVersion, createdAt, updatedAt, ...rest } = snippet;
    assert.match(String(id), shortId);
    const { id: versionId, ...version } = activeVersion as Record<string, string>;
    assert.match(String(versionId), uuid);
    assert.deepEqual(version, {
      name: 'Top customers',
      description: 'Revenue by customer',
      text: 'select customer\nfrom invoice',
    });
    assertRecent(String(createdAt));
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, { isLocked: true, publicAccessLevel: 'read_only', ownerPerson: null, ownerRole: null });
    assert.deepEqual(await read(String(id)), snippet);
  });

  it('belong to a person, a role or no one', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const owned = await make.snippet({ owner: 'person', ownerPersonId: person.id });
    assert.deepEqual([owned.ownerPerson, owned.ownerRole], [reference(person), null]);
    const shared = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    assert.deepEqual([shared.ownerPerson, shared.ownerRole], [null, { id: role.id, name: role.name }]);
  });

  it('refuse an owner that does not fit, or does not exist', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const form = { name: 'x', description: '', text: 'x', isLocked: 'false', publicAccessLevel: 'none' };
    for (const [fields, paths] of [
      [{ owner: 'person' }, ['ownerPersonId']],
      [{ owner: 'person', ownerPersonId: '' }, ['ownerPersonId']],
      [{ owner: 'role' }, ['ownerRoleId']],
      [{ owner: 'role', ownerPersonId: person.id }, ['ownerPersonId', 'ownerRoleId']],
      [{ owner: 'none', ownerPersonId: person.id }, ['ownerPersonId']],
      [{ owner: 'none', ownerRoleId: role.id }, ['ownerRoleId']],
      [{ owner: 'person', ownerPersonId: person.id, ownerRoleId: role.id }, ['ownerRoleId']],
      [{ owner: 'person', ownerPersonId: 'nobody' }, ['ownerPersonId']],
      [{ owner: 'role', ownerRoleId: 'nothing' }, ['ownerRoleId']],
      [{ owner: 'none', createdByPersonId: 'nobody' }, ['createdByPersonId']],
      [{ owner: 'everybody' }, ['owner']],
    ] as const) {
      assertFields(await service.call('POST', '/snippet', { form: { ...form, ...fields } }), 422, 'invalid_fields', [
        ...paths,
      ]);
    }
  });

  it('are listed oldest first, each version with its data source', async () => {
    const [first, second] = [await make.snippet(), await make.snippet({ name: 'Second' })];
    const expected = [first, second].map((snippet) => ({
      ...snippet,
      activeVersion: { ...snippet.activeVersion, dataSource: null },
    }));
    assert.deepEqual((await service.ok<unknown[]>('GET', '/snippet')).slice(-2), expected);
  });

  it('are locked and unlocked, again and again', async () => {
    const { id } = await make.snippet();
    for (const [action, isLocked] of [
      ['lock', true],
      ['lock', true],
      ['unlock', false],
      ['unlock', false],
    ] as const) {
      assert.deepEqual(await service.ok('PUT', `/snippet/${id}/${action}`), {});
      assert.equal((await read(id)).isLocked, isLocked);
    }
  });

  it('change only the access that an update sends, in both spellings of the owner', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const { id } = await make.snippet({ owner: 'person', ownerPersonId: person.id });
    const update = async (form: Record<string, string>) => {
      assert.deepEqual(await service.ok('POST', `/snippet/${id}`, { form }), {});
      const { publicAccessLevel, ownerPerson, ownerRole } = await read(id);
      return [publicAccessLevel, ownerPerson?.id ?? null, ownerRole?.id ?? null];
    };
    assert.deepEqual(await update({ publicAccessLevel: 'manage' }), ['manage', person.id, null]);
    assert.deepEqual(await update({ owner: 'role', ownerRoleId: role.id }), ['manage', null, role.id]);
    assert.deepEqual(await update({ owner: 'person', ownerPerson: person.id }), ['manage', person.id, null]);
    assert.deepEqual(await update({ owner: 'role', ownerRole: role.id, ownerRoleId: role.id }), [
      'manage',
      null,
      role.id,
    ]);
    assert.deepEqual(await update({ publicAccessLevel: 'none', owner: 'none' }), ['none', null, null]);
    assert.deepEqual(await update({}), ['none', null, null]);
    const bad = (form: Record<string, string>) => service.call('POST', `/snippet/${id}`, { form });
    assertFields(await bad({ owner: 'person' }), 422, 'invalid_fields', ['ownerPersonId']);
    assertFields(await bad({ ownerPersonId: person.id }), 422, 'invalid_fields', ['ownerPersonId']);
    const both = { owner: 'person', ownerPerson: person.id, ownerPersonId: 'other' };
    assertFields(await bad(both), 422, 'invalid_fields', ['ownerPerson']);
  });

  it('are deleted with their versions', async () => {
    const { id, activeVersion } = await make.snippet();
    assert.deepEqual(await service.ok('DELETE', `/snippet/${id}`), {});
    for (const path of [`/snippet/${id}`, `/snippet/${id}/version`, `/snippet/${id}/version/${activeVersion.id}`]) {
      assertProblem(await service.call('GET', path), 404, 'not_found');
    }
  });

  it('that do not exist are not found by any operation', async () => {
    const version = '5f0c8a52-3d1e-4c62-9b7a-6a1c7de2f001';
    const form = { name: 'x', description: '', text: 'x' };
    const operations = [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', '/lock'],
      ['PUT', '/unlock'],
      ['POST', ''],
      ['GET', '/version'],
      ['GET', `/version/${version}`],
      ['PUT', `/version/${version}`],
    ] as const;
    for (const [method, rest] of operations) {
      assertProblem(await service.call(method, `/snippet/nothing${rest}`), 404, 'not_found');
    }
    assertProblem(await service.call('POST', '/snippet/nothing/version', { form }), 404, 'not_found');
  });
});

describe('snippet versions', () => {
  it('are added without being put to use', async () => {
    const [snippet, person] = [await make.snippet(), await make.person()];
    const form = { name: 'Top ten', description: '', text: 'select 2', createdByPersonId: person.id };
    const version = await service.ok('POST', `/snippet/${snippet.id}/version`, { form });
    const { id, createdAt, ...rest } = version;
    assert.match(String(id), uuid);
    assert.match(String(createdAt), timestamp);
    const { createdByPersonId: _sent, ...content } = form;
    assert.deepEqual(rest, { ...content, snippetId: snippet.id, createdBy: reference(person) });
    assert.deepEqual(await service.ok('GET', `/snippet/${snippet.id}/version/${String(id)}`), version);
    assert.deepEqual(await read(snippet.id), snippet);
    const versions = await service.ok<Record<string, unknown>[]>('GET', `/snippet/${snippet.id}/version`);
    assert.deepEqual(versions.at(-1), { ...version, dataSource: null });
    assert.equal(versions[0]?.['id'], snippet.activeVersion.id);
    assert.equal(versions.length, 2);
  });

  it('are put to use by POST and by PUT, and the snippet is younger for it', async () => {
    const snippet = await make.snippet();
    const [second, third] = [await make.version(snippet.id), await make.version(snippet.id, { name: 'Third' })];
    assert.deepEqual(await service.ok('POST', `/snippet/${snippet.id}/version/${second.id}`), {});
    const once = await read(snippet.id);
    assert.deepEqual(once.activeVersion, { id: second.id, name: 'Top ten', description: '', text: 'select 2' });
    assert.ok(once.updatedAt > snippet.updatedAt);
    assert.deepEqual(await service.ok('PUT', `/snippet/${snippet.id}/version/${third.id.toUpperCase()}`), {});
    const twice = await read(snippet.id);
    assert.equal(twice.activeVersion.name, 'Third');
    assert.ok(twice.updatedAt > once.updatedAt);
  });

  it('of another snippet are not found', async () => {
    const [snippet, other] = [await make.snippet(), await make.snippet()];
    const path = `/snippet/${snippet.id}/version/${other.activeVersion.id}`;
    for (const method of ['GET', 'PUT', 'POST']) {
      assertProblem(await service.call(method, path), 404, 'not_found');
    }
    assert.deepEqual(await read(snippet.id), snippet);
  });

  it('refuse a creator who does not exist', async () => {
    const { id } = await make.snippet();
    const form = { name: 'x', description: '', text: 'x', createdByPersonId: 'nobody' };
    const answer = await service.call('POST', `/snippet/${id}/version`, { form });
    assertFields(answer, 422, 'invalid_fields', ['createdByPersonId']);
  });
});
