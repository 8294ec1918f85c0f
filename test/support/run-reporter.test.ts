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

  it('counts in one line the files that an interrupt kept from running', async () => {
    const all = [complete('a.test.ts', 'a.test.ts', false), complete('b.test.ts', 'b.test.ts', false)];
    assert.equal(await messageOf(brief(events(all), AbortSignal.abort())), 'Interrupted: 2 files did not run.\n');
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

/** What the first event says. */
async function messageOf(shown: AsyncGenerator<TestEvent>): Promise<string> {
  for await (const event of shown) {
    assert.equal(event.type, 'test:stdout');
    return event.data.message;
  }
  throw new Error('nothing is shown');
}
