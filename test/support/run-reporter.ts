import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const shown = new Set(['test:fail', 'test:diagnostic', 'test:stderr', 'test:stdout', 'test:interrupted']);

/**
 * Leaves of a run's events what somebody who waits for it wants to see, for node's own spec reporter to print: one line
 * a file, every failure, what tests wrote, and the closing counts.
 */
export async function* brief(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file !== undefined) yield fileLine(event.data, event.data.file);
    else if (shown.has(event.type)) yield event;
  }
}

/** Counts suites that were skipped as skipped: node counts tests alone, and would say 0 where a whole suite is left out. */
export async function* countSuites(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  let suites = 0;
  for await (const event of events) {
    if (event.type === 'test:pass' && event.data.skip !== undefined && event.data.details.type === 'suite') suites += 1;
    const tests = event.type === 'test:diagnostic' ? /^skipped (\d+)$/.exec(event.data.message)?.[1] : undefined;
    if (event.type === 'test:diagnostic' && tests !== undefined) {
      yield { ...event, data: { ...event.data, message: `skipped ${Number(tests) + suites}` } };
    } else yield event;
  }
}

type Summary = Extract<TestEvent, { type: 'test:summary' }>['data'];

function fileLine({ success, counts, duration_ms: duration }: Summary, file: string): TestEvent {
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  const failed = success ? '' : `, ${counts.tests - counts.passed - counts.skipped - counts.todo} FAILED`;
  const name = path.relative(process.cwd(), file);
  const message = `${success ? '✔' : '✖'} ${name} (${counts.passed} passed${skipped}${failed}, ${(duration / 1000).toFixed(1)} s)\n`;
  return { type: 'test:stdout', data: { file, message, entryFile: file } } as TestEvent;
}
