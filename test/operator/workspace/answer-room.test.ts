import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NamespaceRoom } from '../../../operator/workspace/answer-room.ts';

const mib = (count: number) => Buffer.alloc(count * 1024 * 1024, 'x');

describe('the memory for the answers of one namespace', () => {
  it('is shared by what all its Workspaces keep and what is under way', () => {
    const room = new NamespaceRoom();
    const kept = room.of('one').begin('/people', true);
    assert.ok(kept.take(mib(60)));
    kept.end(true);
    const written = room.of('one').begin('/people', false);
    assert.ok(written.take(mib(60)));
    const other = room.of('two').begin('/people', true);
    assert.ok(!other.take(mib(30)));
    other.end(false);
    written.end(true);
    assert.ok(room.of('two').begin('/people', true).take(mib(60)));
  });

  it('has room again for what replaces an answer, and when a Workspace is gone', () => {
    const room = new NamespaceRoom();
    for (let read = 0; read < 4; read += 1) {
      const answer = room.of('one').begin('/people', true);
      assert.ok(answer.take(mib(60)), `read ${read}`);
      answer.end(true);
    }
    assert.equal(room.forget('one'), true);
    assert.ok(room.of('two').begin('/people', true).take(mib(120)));
  });

  it('counts what small values take once they are read', () => {
    const answer = new NamespaceRoom().of('one').begin('/people', true);
    assert.ok(!answer.take(Buffer.from('{},'.repeat(2_100_000))), 'six MiB, and 130 MiB of objects');
  });
});
