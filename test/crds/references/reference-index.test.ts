import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReferenceIndex } from '@rolecall/crds';
import { define } from '../support.ts';

const email = (name: string) => ({ name, email: `${name}@example.com` });
const role = define('Role', 'r', {});

describe('a reference', () => {
  it('is a declared name first, then a declared natural key, then a key of the workspace', () => {
    const ada = define('Person', 'ada', { ...email('ada'), username: 'lovelace' });
    const index = createReferenceIndex([ada, role]);
    assert.deepEqual(index.resolve('Person', 'ada', role), { naturalKey: 'lovelace', declared: ada });
    assert.deepEqual(index.resolve('Person', 'lovelace', role), { naturalKey: 'lovelace', declared: ada });
    assert.deepEqual(index.resolve('Person', 'grace', role), { naturalKey: 'grace' });
  });

  it('is the one of that name where another has it as natural key', () => {
    const named = define('Person', 'ada', { ...email('ada'), username: 'lovelace' });
    const keyed = define('Person', 'countess', { ...email('countess'), username: 'ada' });
    const index = createReferenceIndex([keyed, named, role]);
    assert.equal(index.resolve('Person', 'ada', role).declared, named);
  });

  it('finds usernames whatever their case, and nothing else so', () => {
    const index = createReferenceIndex([define('Person', 'ada', { ...email('ada'), username: 'Ada.L' }), role]);
    assert.equal(index.resolve('Person', 'ADA.L', role).naturalKey, 'Ada.L');
    assert.deepEqual(index.resolve('Role', 'R', role), { naturalKey: 'R' });
  });

  it('never crosses from one kind to another', () => {
    const index = createReferenceIndex([role]);
    assert.deepEqual(index.resolve('DataSource', 'r', role), { naturalKey: 'r' });
  });

  it('stays within its workspace', () => {
    const production = define('Workspace', 'production', {});
    const staging = define('Workspace', 'staging', {});
    const ada = define('Person', 'ada', { ...email('ada'), username: 'lovelace', workspaceRef: 'production' });
    const there = define('Role', 'there', { workspaceRef: 'staging' });
    const here = define('Role', 'here', { workspaceRef: 'production' });
    const index = createReferenceIndex([production, staging, ada, there, here]);
    assert.equal(index.resolve('Person', 'ada', here).declared, ada);
    assert.equal(index.resolve('Person', 'ada', there).declared, undefined);
    assert.equal(index.workspaceOf(here), production);
    assert.equal(index.scopeOf(here), index.scopeOf(ada));
    assert.notEqual(index.scopeOf(here), index.scopeOf(there));
  });

  it('belongs to the only Workspace there is', () => {
    const only = define('Workspace', 'only', {});
    assert.equal(createReferenceIndex([only, role]).workspaceOf(role), only);
  });

  it('belongs to the Workspace of its own namespace, where there is one', () => {
    const shared = define('Workspace', 'shared', {});
    const own = define('Workspace', 'own', {}, 'team');
    const inTeam = define('Role', 'r', {}, 'team');
    const index = createReferenceIndex([shared, own, inTeam, role]);
    assert.equal(index.workspaceOf(inTeam), own);
    assert.equal(index.workspaceOf(role), shared);
    const elsewhere = define('Role', 'r', {}, 'other');
    assert.equal(createReferenceIndex([shared, elsewhere]).workspaceOf(elsewhere), shared);
  });

  it('belongs to no Workspace where none is declared', () => {
    assert.equal(createReferenceIndex([role]).workspaceOf(role), undefined);
  });

  it('finds the one of its own namespace first', () => {
    const one = define('Person', 'ada', { ...email('ada'), username: 'one' }, 'team-one');
    const two = define('Person', 'ada', { ...email('ada'), username: 'two' }, 'team-two');
    const from = define('Role', 'r', {}, 'team-two');
    assert.equal(createReferenceIndex([one, two, from]).resolve('Person', 'ada', from).declared, two);
  });
});
