import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newPerson, newSnippetVersion, roleName } from '@rolecall/api';
import { grouped } from '../../../crds/fields/fields.ts';
import { define, wrongFields } from '../support.ts';

const person = { name: 'Ada', email: 'ada@example.com' };
const emoji = '😀';

describe('texts', () => {
  it('are counted in code points', () => {
    assert.deepEqual(wrongFields('Person', { ...person, name: emoji.repeat(255) }), []);
    assert.deepEqual(wrongFields('Person', { ...person, name: emoji.repeat(256) }), ['name']);
    assert.deepEqual(wrongFields('Snippet', { text: emoji.repeat(200_000), description: 'd'.repeat(10_000) }), []);
    assert.deepEqual(wrongFields('Snippet', { text: 'x'.repeat(200_001), description: 'd'.repeat(10_001) }), [
      'description',
      'text',
    ]);
  });

  it('that are names have no control characters, those of several lines may', () => {
    for (const bad of ['a\nb', 'a\tb', '\u007f', '\u0085', '\ud800', '']) {
      assert.deepEqual(wrongFields('Role', { name: bad }), ['name'], JSON.stringify(bad));
    }
    assert.deepEqual(wrongFields('Snippet', { text: 'select\n\t1', description: 'a\nb' }), []);
    assert.deepEqual(wrongFields('Snippet', { text: 'a\0', description: '\udc00' }), ['description', 'text']);
  });

  it('that are names neither begin nor end with white space', () => {
    for (const bad of [' a', 'a ', ' a ', ' ', '\u00a0a', 'a\u2028', '\ufeffa']) {
      const shown = JSON.stringify(bad);
      assert.deepEqual(wrongFields('Person', { ...person, name: bad, username: bad }), ['username', 'name'], shown);
      assert.deepEqual(wrongFields('Role', { name: bad }), ['name'], shown);
      const uri = 'sqlite:///data/billing.db';
      assert.deepEqual(wrongFields('DataSource', { uri, name: bad, alias: bad }), ['alias', 'name'], shown);
      assert.deepEqual(wrongFields('Snippet', { text: bad, description: bad, name: bad }), ['name'], shown);
    }
  });

  it('that are names can be told from each other by looking at them', () => {
    for (const bad of ['Zoe\u0308', 'a\u200bda', 'ada\u200e', '\u2066ada\u2069', 'a\u00adda']) {
      assert.deepEqual(wrongFields('Person', { ...person, name: bad, username: bad }), ['username', 'name'], bad);
      assert.deepEqual(wrongFields('Role', { name: bad }), ['name'], bad);
    }
  });

  it('that are accepted here are accepted by the service', () => {
    const texts = ['a', emoji.repeat(255), 'x'.repeat(255), 'a b', 'a\u00a0b', 'Ä\u0308', '<script>', '%00', '../..'];
    for (const text of texts) {
      assert.deepEqual(wrongFields('Person', { ...person, name: text, username: text }), []);
      assert.ok(newPerson.safeParse({ ...person, name: text, username: text }).success, JSON.stringify(text));
      assert.ok(roleName.safeParse(text).success);
      assert.ok(newSnippetVersion.pick({ name: true, text: true }).safeParse({ name: text, text }).success);
    }
  });

  it('that look like e-mail addresses are those that the service takes', () => {
    for (const email of ['a@b', 'ada+x@mail.example.com', "o'hara@example.com", 'ada@münchen.example']) {
      assert.deepEqual(wrongFields('Person', { ...person, email }), [], email);
    }
    for (const email of ['ada', '@b', 'a@', 'a b@c', 'a@b@c', 'Ada <a@b>', `${'a'.repeat(250)}@b.cd`]) {
      assert.deepEqual(wrongFields('Person', { ...person, email }), ['email'], email);
    }
  });
});

describe('fields that are left out', () => {
  it('take the name of the definition, where they name the object', () => {
    assert.equal(define('Person', 'ada', person).spec.username, 'ada');
    assert.equal(define('Role', 'admins', {}).spec.name, 'admins');
    assert.equal(define('Snippet', 'top', { text: 'x' }).spec.name, 'top');
    const { alias, name } = define('DataSource', 'billing', { uri: 'sqlite:///data/billing.db' }).spec;
    assert.deepEqual({ alias, name }, { alias: 'billing', name: 'billing' });
  });

  it('take the defaults that the documentation names', () => {
    const { deletionPolicy, managementPolicy, locked } = define('Person', 'ada', person).spec;
    assert.deepEqual(
      { deletionPolicy, managementPolicy, locked },
      { deletionPolicy: 'Delete', managementPolicy: 'Full', locked: false },
    );
    const snippet = define('Snippet', 'top', { text: 'x' }).spec;
    assert.deepEqual([snippet.description, snippet.publicAccessLevel, snippet.locked], ['', 'none', false]);
    assert.deepEqual(define('Workspace', 'w', {}).spec.rails, { maxRemovalPercent: 15, minimumRemoval: 10 });
    assert.deepEqual(
      define('Workspace', 'w', { credentialsFrom: { secretKeyRef: { name: 'key' } } }).spec.credentialsFrom,
      {
        secretKeyRef: { name: 'key', keyId: 'id', keySecret: 'secret' },
      },
    );
  });

  it('stay left out in the lists of a role, where an empty list means no one', () => {
    assert.equal('people' in define('Role', 'r', {}).spec, false);
    assert.deepEqual(define('Role', 'r', { people: [] }).spec.people, []);
  });
});

describe('grouped', () => {
  it('parts thousands as toLocaleString does', () => {
    for (const number of [0, 7, 999, 1000, 12_345, 123_456, 1_234_567, 3_153_600_000]) {
      assert.equal(grouped(number), number.toLocaleString('en-US'));
    }
  });
});
