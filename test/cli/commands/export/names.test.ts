import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allocateNames, type Nameable, readableName } from '../../../../cli/commands/export/names.ts';

const nameable = (naturalKey: string, createdAt = '2026'): Nameable => ({
  id: naturalKey,
  naturalKey,
  sources: [naturalKey],
  createdAt,
});
const namesOf = (...objects: Nameable[]) => Object.fromEntries(allocateNames(objects, (key) => key, 'role'));

describe('names of exported definitions', () => {
  it('read like what they name', () => {
    assert.equal(readableName('Data Analysts (EU)'), 'data-analysts-eu');
    assert.equal(readableName('Größe & Æsir'), 'grosse-aesir');
    assert.equal(readableName('ada@example.com'), 'ada-example.com');
    assert.equal(readableName('-._'), '');
    assert.equal(readableName('x'.repeat(300)).length, 63);
  });

  it('are what the object is called, where that is a name', () => {
    assert.deepEqual(namesOf(nameable('Analysts', '2020'), nameable('analysts', '2026')), {
      Analysts: 'analysts-2',
      analysts: 'analysts',
    });
  });

  it('stay with the older of two, whatever their order', () => {
    const [old, young] = [nameable('A b', '2025'), nameable('a B', '2026')];
    assert.deepEqual(namesOf(young, old), { 'A b': 'a-b', 'a B': 'a-b-2' });
    assert.deepEqual(namesOf(old, young), namesOf(young, old));
  });

  it('are never what another object is called', () => {
    const names = namesOf(nameable('A b', '2020'), nameable('a B', '2021'), nameable('a-b-2', '2026'));
    assert.deepEqual(names, { 'A b': 'a-b', 'a B': 'a-b-3', 'a-b-2': 'a-b-2' });
  });

  it('leave a name to who is called that, whatever the case', () => {
    const objects = [nameable('bob.', '2020'), nameable('Bob', '2026')];
    const names = allocateNames(objects, (key) => key.toLowerCase(), 'person');
    assert.deepEqual(Object.fromEntries(names), { 'bob.': 'bob-2', Bob: 'bob' });
  });

  it('are there for what has no letters', () => {
    assert.deepEqual(namesOf(nameable('李')), { 李: 'role' });
  });
});
