import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { brief } from './run-reporter.ts';

describe('the output of a run', () => {
  it('has the line of a file as soon as the file ends, whichever was first', async () => {
    const shown = brief(
      events([
        complete('quick', 'b.test.ts', true),
        complete('b.test.ts', 'b.test.ts', true),
        'the first file goes on',
      ]),
    );
    assert.match(await messageOf(shown), /^✔ b\.test\.ts \(1 passed, 0\.5 s\)\n$/);
  });

  it('names the tests that failed beneath the line of their file, and counts those that were skipped', async () => {
    const all = [
      complete('wrong', 'a.test.ts', false),
      { ...complete('left out', 'a.test.ts', true), skip: 'needs a moon' },
      complete('a.test.ts', 'a.test.ts', false),
    ];
    assert.equal(
      await messageOf(brief(events(all))),
      '✖ a.test.ts (0 passed, 1 skipped, 1 FAILED, 0.5 s)\n    ✖ wrong\n',
    );
  });

  it('has a line for each of the files that share a process, when that has ended', async () => {
    const all = [
      complete('first', 'a.test.ts', true),
      complete('wrong', 'b.test.ts', false),
      complete('ab', 'ab', false),
    ];
    const shown = brief(events(all), new Map([['ab', ['a.test.ts', 'b.test.ts', 'c.test.ts']]]));
    assert.equal(await messageOf(shown), '✔ a.test.ts (1 passed, 0.5 s)\n');
    assert.equal(await messageOf(shown), '✖ b.test.ts (0 passed, 1 FAILED, 0.5 s)\n    ✖ wrong\n');
    assert.equal(await messageOf(shown), '✖ c.test.ts (0 passed, 0.0 s)\n');
  });

  it('counts in one line the files that an interrupt kept from running', async () => {
    const all = [complete('a.test.ts', 'a.test.ts', false), complete('b.test.ts', 'b.test.ts', false)];
    assert.equal(
      await messageOf(brief(events(all), new Map(), AbortSignal.abort())),
      'Interrupted: 2 files did not run.\n',
    );
  });
});

function complete(name: string, file: string, passed: boolean) {
  return { name, file, nesting: 0, testNumber: 1, details: { passed, duration_ms: 500, type: 'test' } };
}

/** The events of tests that end; a text in their place is a run that would still be under way. */
async function* events(ends: readonly (ReturnType<typeof complete> | string)[]): AsyncGenerator<TestEvent> {
  for (const data of ends) {
    if (typeof data === 'string') throw new Error(data);
    yield await Promise.resolve({ type: 'test:complete', data } as unknown as TestEvent);
  }
}

/** What the next event says. */
async function messageOf(shown: AsyncGenerator<TestEvent>): Promise<string> {
  const next = await shown.next();
  assert.ok(next.done !== true && next.value.type === 'test:stdout');
  return next.value.data.message;
}
