import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { type Progress, plainPalette } from '@rolecall/reconcile';
import type { Context } from '../../../cli/command.ts';
import { createProgress, showReading } from '../../../cli/output/progress.ts';

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

/** What is shown of a run of 60,000 calls of 1 ms each, of which every thousandth fails. */
function runLargePlan(isTTY: boolean, options: { verbose?: boolean; quiet?: boolean } = {}): string[] {
  const written: string[] = [];
  const stdout = { isTTY, columns: 80, write: (text: string) => written.push(text) };
  const say = (text: string) => written.push(`${text}\n`);
  // A double: progress needs no more of a context than this.
  const context = { io: { stdout }, output: { format: 'text', palette: plainPalette, say } } as unknown as Context;
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const { report, end } = createProgress(context, options);
    const step = { summary: 'add ada to analysts' } as Progress['step'];
    for (let ended = 1; ended <= 60_000; ended += 1) {
      const failed = { outcome: 'failed', error: new Error('the service is full') } as const;
      report({ step, ended, total: 60_000, ...(ended % 1000 === 0 ? failed : { outcome: 'done' }) });
      mock.timers.tick(1);
    }
    end();
  } finally {
    mock.timers.reset();
  }
  return written;
}

describe('the progress of a large run', () => {
  const isFailure = (text: string): boolean => text.includes('failed  add ada to analysts: the service is full');

  it('is a bar on a terminal, drawn ten times a second, and the first failures', () => {
    const written = runLargePlan(true);
    assert.equal(written.filter(isFailure).length, 20);
    assert.equal(written[0], '[>                                       ] 1/60000');
    assert.equal(written.at(-1), '\r\u001b[2K');
    assert.ok(written.length < 625, `${written.length}`);
    assert.equal(written.filter((text) => text.includes('\n')).length, 20);
  });

  it('is a line every ten seconds in a log, and the first failures', () => {
    const written = runLargePlan(false);
    assert.equal(written.filter(isFailure).length, 20);
    assert.deepEqual(
      written.filter((text) => !isFailure(text)),
      [1, 2, 3, 4, 5, 6].map((tens) => `${tens}0000 of 60000 calls made, ${tens}0 failed\n`),
    );
  });

  it('is a line for each call where that is asked for, and nothing at all where that is', () => {
    assert.equal(runLargePlan(false, { verbose: true }).length, 60_000);
    assert.deepEqual(runLargePlan(true, { quiet: true }), []);
  });
});
