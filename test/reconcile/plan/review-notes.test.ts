import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dataSource, describeReadings, person, role } from '../support.ts';

/** With a Cyrillic letter in the place of a Latin one. */
const foreign = { ada: '\u0430da', analysts: '\u0430nalysts', billing: 'billin\u0261' };

describeReadings('a name that looks like one of the workspace', (workspace) => {
  it('is said, by its code points, and not taken for it', async () => {
    await workspace.apply([person('ada'), role('analysts'), dataSource('billing')]);
    const plan = await workspace.plan([
      person(foreign.ada, { name: 'second', email: 'second@example.com' }),
      role(foreign.analysts, { name: 'other' }),
      dataSource(foreign.billing, { name: 'third' }),
    ]);
    assert.deepEqual(plan.notes.map(({ object, message }) => `${object} ${message}`).toSorted(), [
      'DataSource/third is created as "billin\u0261" (with U+0261), which looks like "billing" of the workspace, and is another',
      'Person/second is created as "\u0430da" (with U+0430), which looks like "ada" of the workspace, and is another',
      'Role/other is created as "\u0430nalysts" (with U+0430), which looks like "analysts" of the workspace, and is another',
    ]);
    assert.equal(plan.steps.length, 3);
  });

  it('is said as well where it is the one of the workspace that has the foreign letter', async () => {
    await workspace.apply([person(foreign.ada, { email: 'first@example.com' })]);
    const { notes } = await workspace.plan([person('ada')]);
    assert.match(notes[0]!.message, /as "ada", which looks like "\u0430da" \(with U\+0430\) of the workspace/);
  });

  it('is nothing to speak of where all letters are Latin, or the names are the same', async () => {
    await workspace.apply([person('barn'), person('Jos\u00e9', { email: 'jose@example.com' })]);
    const plan = await workspace.plan([
      person('bam'),
      person('jose\u0301', { name: 'jose', fullName: 'Jos\u00e9 Example', email: 'jose@example.com' }),
    ]);
    assert.deepEqual(plan.notes, []);
    assert.equal(plan.steps.length, 1);
  });

  it('is spelled out where a reference leads nowhere', async () => {
    const { refusals } = await workspace.plan([person('ada'), role('analysts', { people: [foreign.ada] })]);
    assert.match(refusals[0]!.message, /refers to the person "\u0430da" \(with U\+0430\), which is neither declared/);
  });
});
