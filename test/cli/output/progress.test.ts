import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { plainPalette } from '@rolecall/reconcile';
import type { Context } from '../../../cli/command.ts';
import { showReading } from '../../../cli/output/progress.ts';

/** What is shown while 10,000 calls of 1 ms each are made, and then the line is removed. */
function readLargeWorkspace(format: 'text' | 'json', isTTY: boolean): string[] {
  const written: string[] = [];
  const stderr = { isTTY, write: (text: string) => written.push(text) };
  // A double: the line needs no more of a context than this.
  const context = { io: { stderr }, output: { format, palette: plainPalette } } as unknown as Context;
  let now = 0;
  const clock = mock.method(performance, 'now', () => now);
  try {
    using reading = showReading(context);
    for (let call = 0; call < 10_000; call += 1) {
      now += 1;
      reading.count();
    }
  } finally {
    clock.mock.restore();
  }
  return written;
}

describe('the progress line of a large plan', () => {
  it('appears on a terminal after a second, is updated five times a second, and is removed at the end', () => {
    const written = readLargeWorkspace('text', true);
    assert.equal(written[0], '\r\u001b[2KReading the workspace: 1000 calls in 1 s');
    assert.equal(written[1], '\r\u001b[2KReading the workspace: 1200 calls in 1 s');
    assert.equal(written.at(-2), '\r\u001b[2KReading the workspace: 10000 calls in 10 s');
    assert.equal(written.at(-1), '\r\u001b[2K');
    assert.equal(written.length, 47);
  });

  it('appears neither elsewhere than on a terminal nor with JSON', () => {
    assert.deepEqual(readLargeWorkspace('text', false), []);
    assert.deepEqual(readLargeWorkspace('json', true), []);
  });
});
