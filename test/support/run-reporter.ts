import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const shown = new Set(['test:fail', 'test:diagnostic', 'test:stderr', 'test:stdout', 'test:interrupted']);

/**
 * Keeps what a person waiting for the run wants to see, for node's own spec reporter to print: one line a file as soon as the
 * file ends, the details of every failure, what tests wrote, and the closing counts.
 *
 * @param interrupted aborted when the run is: the files that did not run by then are counted in one line
 */
export async function* brief(
  events: AsyncIterable<TestEvent>,
  interrupted: AbortSignal = new AbortController().signal,
): AsyncGenerator<TestEvent> {
  const running = new Map<string, FileCounts>();
  const notRun = new Set<string>();
  for await (const event of events) {
    if (interrupted.aborted && isFailedFile(event) && !running.has(event.data.name)) {
      notRun.add(event.data.name);
      continue;
    }
    // Only this event comes when a test ends. All others come in the order of the files, so that one slow file holds them back.
    if (event.type === 'test:complete' && event.data.file !== undefined) {
      const { file } = event.data;
      const counts = running.get(file) ?? { passed: 0, skipped: 0, failed: [] };
      running.set(file, counts);
      if (event.data.name === file) yield fileLine(file, counts, event.data.details);
      else count(counts, event.data);
    } else if (shown.has(event.type)) yield event;
  }
  if (notRun.size > 0) yield message(`Interrupted: ${notRun.size} files did not run.\n`);
}

/** Whether a file failed as a whole, which node says twice of each: when it ends, and in the order of the files. */
function isFailedFile(event: TestEvent): event is Extract<TestEvent, { type: 'test:complete' | 'test:fail' }> {
  if (event.type !== 'test:fail' && event.type !== 'test:complete') return false;
  const { name, file } = event.data;
  return name === file && !(event.type === 'test:complete' && event.data.details.passed);
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

type Complete = Extract<TestEvent, { type: 'test:complete' }>['data'];

interface FileCounts {
  passed: number;
  skipped: number;
  failed: string[];
}

function count(counts: FileCounts, { name, skip, details }: Complete): void {
  if (skip !== undefined) counts.skipped += 1;
  else if (details.type === 'suite') return;
  else if (details.passed) counts.passed += 1;
  else counts.failed.push(name);
}

function fileLine(file: string, { passed, skipped, failed }: FileCounts, details: Complete['details']): TestEvent {
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  const wrong = failed.length === 0 ? '' : `, ${failed.length} FAILED`;
  const name = path.relative(process.cwd(), file);
  const line = `${details.passed ? '✔' : '✖'} ${name} (${passed} passed${left}${wrong}, ${(details.duration_ms / 1000).toFixed(1)} s)`;
  return message([line, ...failed.map((test) => `    ✖ ${test}`), ''].join('\n'));
}

function message(text: string): TestEvent {
  return { type: 'test:stdout', data: { message: text } } as TestEvent;
}
