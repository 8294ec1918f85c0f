import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ExportSlots } from '../../../server/export/slots.ts';

it('eight downloads run at a time, four of one person, and each gives its place back', () => {
  const slots = new ExportSlots();
  const own = Array.from({ length: 4 }, () => slots.take('ada'));
  assert.throws(() => slots.take('ada'), /you download too many results at a time/);
  const others = ['ben', 'cid', 'ben', 'cid'].map((person) => slots.take(person));
  for (const person of ['ada', 'dan']) {
    assert.throws(() => slots.take(person), /too many results are downloaded at the moment/);
  }
  others[0]?.();
  assert.throws(() => slots.take('ada'), /you download too many/, 'the place of another person is not theirs');
  slots.take('dan');
  own[0]?.();
  slots.take('ada');
  assert.throws(() => slots.take('dan'), /at the moment/);
});
