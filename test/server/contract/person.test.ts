import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makers } from '../support/make.ts';
import { assertFields, assertProblem, assertRecent, shortId } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

describe('people', () => {
  it('are created with the fields that were sent, unlocked', async () => {
    const form = { name: 'Ada Lovelace', email: 'Ada@Example.com', username: 'Ada' };
    const person = await service.ok('POST', '/person', { form });
    const { id, createdAt, ...rest } = person;
    assert.match(String(id), shortId);
    assertRecent(String(createdAt));
    assert.deepEqual(rest, { ...form, isLocked: false });
    assert.deepEqual(await service.ok('GET', `/person/${String(id)}`), person);
  });

  it('take the same fields as JSON', async () => {
    const json = { name: 'Grace "Amazing" Hopper 🚢', email: 'grace@example.com', username: 'grâce' };
    const { name, username } = await service.ok('POST', '/person', { json });
    assert.deepEqual({ name, username }, { name: json.name, username: json.username });
  });

  it('are listed oldest first, and at once after every change', async () => {
    const before = await service.ok<unknown[]>('GET', '/person');
    const people = [await make.person(), await make.person(), await make.person()];
    assert.deepEqual(await service.ok('GET', '/person'), [...before, ...people]);
    const [first] = people;
    await service.ok('PUT', `/person/${String(first?.id)}/lock`);
    assert.deepEqual(
      (await service.ok<{ isLocked: boolean }[]>('GET', '/person')).slice(before.length).map((one) => one.isLocked),
      [true, false, false],
    );
  });

  it('have usernames and e-mail addresses that are unique without regard to case', async () => {
    await make.person({ username: 'Zoë', email: 'zoe@example.com' });
    const other = { name: 'Other', username: 'other', email: 'other@example.com' };
    const username = await service.call('POST', '/person', { form: { ...other, username: 'zOË' } });
    assertFields(username, 409, 'username_taken', ['username']);
    const email = await service.call('POST', '/person', { form: { ...other, email: 'ZOE@example.COM' } });
    assertFields(email, 409, 'email_taken', ['email']);
    await service.ok('POST', '/person', { form: other });
  });

  it('that are there already are refused by their username, not by the e-mail address which is theirs', async () => {
    const form = { name: 'Twice', username: 'twice', email: 'twice@example.com' };
    await service.ok('POST', '/person', { form });
    assertFields(await service.call('POST', '/person', { form }), 409, 'username_taken', ['username']);
  });

  it('of the same name that are created at once come into being once', async () => {
    const form = { name: 'Racer', username: 'racer', email: 'racer@example.com' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.call('POST', '/person', { form })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 19);
  });

  it('are edited in place: only the fields that are sent change, and the person keeps what they have', async () => {
    const [person, role, source] = [await make.person(), await make.role(), await make.dataSource()];
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    const permission = await make.permission(source.id, person.id);
    const editor = await make.editor(person, source);
    const snippet = await make.snippet({ owner: 'person', ownerPersonId: person.id });
    const session = await signedIn(service, person.id);
    for (const list of ['person', 'permission', 'editor', 'snippet']) await service.ok('GET', `/${list}`);
    const edited = { ...person, name: 'Ada King', username: `${person.username}-king` };
    const json = { name: edited.name, username: edited.username };
    assert.deepEqual(await service.ok('PATCH', `/person/${person.id}`, { json }), edited);
    const email = `king-${person.email}`;
    assert.deepEqual(await service.ok('PATCH', `/person/${person.id}`, { form: { email } }), { ...edited, email });
    assert.deepEqual(await service.ok('PATCH', `/person/${person.id}`, { json: {} }), { ...edited, email });
    const shown = { id: person.id, name: edited.name, username: edited.username, email };
    for (const [list, field, id] of [
      ['person', undefined, person.id],
      ['permission', 'person', permission.id],
      ['editor', 'person', editor.id],
      ['snippet', 'ownerPerson', snippet.id],
    ] as const) {
      const object = (await service.ok<Record<string, unknown>[]>('GET', `/${list}`)).find((row) => row['id'] === id);
      assert.partialDeepStrictEqual(field === undefined ? object : object?.[field], shown, list);
    }
    const [member] = await service.ok<object[]>('GET', `/role/${role.id}/person`);
    assert.partialDeepStrictEqual(member, shown);
    assert.equal((await session.ok('getMe', 'GET', '/me')).person.username, edited.username);
  });

  it('are edited only to a username and an e-mail address that nobody else has', async () => {
    const [ada, grace] = [await make.person(), await make.person()];
    const path = `/person/${ada.id}`;
    const username = await service.call('PATCH', path, { json: { username: grace.username.toUpperCase() } });
    assertFields(username, 409, 'username_taken', ['username']);
    const email = await service.call('PATCH', path, { json: { email: grace.email.toUpperCase() } });
    assertFields(email, 409, 'email_taken', ['email']);
    assertFields(await service.call('PATCH', path, { json: { username: 'a\u200bda' } }), 422, 'invalid_fields', [
      'username',
    ]);
    assertFields(await service.call('PATCH', path, { json: { isLocked: true } }), 422, 'invalid_fields', ['isLocked']);
    assert.deepEqual(await service.ok('GET', path), ada);
    const own = { username: ada.username.toUpperCase(), email: ada.email.toUpperCase() };
    assert.deepEqual(await service.ok('PATCH', path, { json: own }), { ...ada, ...own });
    assertProblem(await service.call('PATCH', '/person/none', { json: {} }), 404, 'not_found');
  });

  it('who are edited at once to one username: one gets it', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => make.person()));
    const json = { username: 'wanted-by-all' };
    const answers = await Promise.all(people.map(({ id }) => service.call('PATCH', `/person/${id}`, { json })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('are locked and unlocked, again and again', async () => {
    const { id } = await make.person();
    for (const [action, isLocked] of [
      ['lock', true],
      ['lock', true],
      ['unlock', false],
      ['unlock', false],
    ] as const) {
      assert.deepEqual(await service.ok('PUT', `/person/${id}/${action}`), {});
      assert.equal((await service.ok('GET', `/person/${id}`))['isLocked'], isLocked);
    }
  });

  it('have two-factor disabled, again and again', async () => {
    const { id } = await make.person();
    assert.deepEqual(await service.ok('DELETE', `/person/${id}/two-factor`), {});
    assert.deepEqual(await service.ok('DELETE', `/person/${id}/two-factor`), {});
  });

  it('are deleted only when locked', async () => {
    const { id, username } = await make.person();
    assertProblem(await service.call('DELETE', `/person/${id}`), 409, 'person_not_locked');
    await service.ok('PUT', `/person/${id}/lock`);
    assert.deepEqual(await service.ok('DELETE', `/person/${id}`), {});
    assertProblem(await service.call('GET', `/person/${id}`), 404, 'not_found');
    assertProblem(await service.call('DELETE', `/person/${id}`), 404, 'not_found');
    await make.person({ username });
  });

  it('that do not exist are not found by any operation', async () => {
    const operations = [
      ['GET', ''],
      ['DELETE', ''],
      ['DELETE', '/permission'],
      ['DELETE', '/two-factor'],
      ['GET', '/data-source'],
      ['GET', '/editor'],
      ['GET', '/permission'],
      ['GET', '/role'],
      ['PUT', '/lock'],
      ['PUT', '/unlock'],
    ] as const;
    for (const [method, rest] of operations) {
      assertProblem(await service.call(method, `/person/nobody${rest}`), 404, 'not_found');
    }
  });

  it('reach data sources through roles and through permissions that are active, each once', async () => {
    const person = await make.person();
    const role = await make.role();
    const [byRole, byPermission, byBoth, expired, future, none] = await Promise.all(
      Array.from({ length: 6 }, () => make.dataSource()),
    );
    assert.ok(byRole && byPermission && byBoth && expired && future && none);
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    for (const source of [byRole, byBoth]) await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    for (const source of [byPermission, byBoth, byBoth]) await make.permission(source.id, person.id);
    await make.permission(expired.id, person.id, { duration: '60', startsAt: '2020-01-01T00:00:00.000Z' });
    await make.permission(future.id, person.id, { duration: '60', startsAt: '2100-01-01T00:00:00.000Z' });
    const reachable = await service.ok<{ id: string }[]>('GET', `/person/${person.id}/data-source`);
    const expected = [byRole, byPermission, byBoth].map(({ id, name, alias }) => ({ id, name, alias }));
    assert.deepEqual(
      reachable.toSorted((a, b) => a.id.localeCompare(b.id)),
      expected.toSorted((a, b) => a.id.localeCompare(b.id)),
    );
  });

  it('take memberships, permissions and editors along when deleted, and leave snippets ownerless', async () => {
    const person = await make.person();
    const source = await make.dataSource();
    const role = await make.role();
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    const permission = await make.permission(source.id, person.id);
    const editor = await make.editor(person, source);
    await service.ok('POST', `/editor/${editor.id}/message`, { json: { title: 'Hello', message: 'Bye' } });
    const fields = { owner: 'person', ownerPersonId: person.id, createdByPersonId: person.id };
    const snippet = await make.snippet(fields);
    const [listed] = (await service.ok<{ id: string; ownerPerson: unknown }[]>('GET', '/snippet')).slice(-1);
    assert.notEqual(listed?.ownerPerson, null);
    await service.ok('PUT', `/person/${person.id}/lock`);
    await service.ok('DELETE', `/person/${person.id}`);
    assert.deepEqual(await service.ok('GET', `/role/${role.id}/person`), []);
    assertProblem(await service.call('GET', `/permission/${permission.id}`), 404, 'not_found');
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}/permission`), []);
    assertProblem(await service.call('GET', `/editor/${editor.id}`), 404, 'not_found');
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}/editor`), []);
    assert.equal((await service.ok('GET', `/snippet/${snippet.id}`))['ownerPerson'], null);
    const lists = await Promise.all(
      ['/permission', '/editor', '/snippet', '/person'].map((list) => service.ok('GET', list)),
    );
    assert.ok(!JSON.stringify(lists).includes(person.id), 'a list still shows the person');
    const [version] = await service.ok<{ createdBy: unknown }[]>('GET', `/snippet/${snippet.id}/version`);
    assert.equal(version?.createdBy, null);
  });
});
