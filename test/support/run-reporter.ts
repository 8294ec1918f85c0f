import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const shown = new Set(['test:fail', 'test:diagnostic', 'test:stderr', 'test:stdout', 'test:interrupted']);

/**
 * Leaves of a run's events what somebody who waits for it wants to see, for node's own spec reporter to print: one line
 * a file, every failure, what tests wrote, and the closing counts.
 */
export async function* brief(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file !== undefined)
      yield line(fileLine(event.data), event.data.file);
    else if (shown.has(event.type)) yield event;
  }
}

type Summary = Extract<TestEvent, { type: 'test:summary' }>['data'];

function fileLine({ file = '', success, counts, duration_ms: duration }: Summary): string {
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  const failed = success ? '' : `, ${counts.tests - counts.passed - counts.skipped - counts.todo} FAILED`;
  const name = path.relative(process.cwd(), file);
  return `${success ? '✔' : '✖'} ${name} (${counts.passed} passed${skipped}${failed}, ${(duration / 1000).toFixed(1)} s)\n`;
}

function line(message: string, file: string): TestEvent {
  return { type: 'test:stdout', data: { file, message, entryFile: file } } as TestEvent;
}
