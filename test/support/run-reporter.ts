import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** The files that are started, each with the test files that it runs. */
export type StartedFiles = ReadonlyMap<string, readonly string[]>;

const shown = new Set(['test:fail', 'test:diagnostic', 'test:stderr', 'test:stdout', 'test:interrupted']);

/**
 * Keeps what a person waiting for the run wants to see, for node's own spec reporter to print: one line a file as soon as the
 * file ends, the details of every failure, what tests wrote, and the closing counts.
 *
 * @param started the files that are started; none needs to be named that runs only its own tests
 * @param interrupted aborted when the run is: the files that did not run by then are counted in one line
 */
export async function* brief(
  events: AsyncIterable<TestEvent>,
  started: StartedFiles = new Map(),
  interrupted: AbortSignal = new AbortController().signal,
): AsyncGenerator<TestEvent> {
  const running = new Map<string, FileCounts>();
  const notRun = new Set<string>();
  for await (const event of events) {
    if (interrupted.aborted && isFailedFile(event)) {
      const members = started.get(event.data.name) ?? [event.data.name];
      const left = members.filter((file) => !running.has(file));
      for (const file of left) notRun.add(file);
      if (left.length === members.length) continue;
    }
    // Only this event comes when a test ends. All others come in the order of the files, so that one slow file holds them back.
    if (event.type === 'test:complete' && event.data.file !== undefined) {
      const { file } = event.data;
      const counts = running.get(file) ?? { passed: 0, skipped: 0, failed: [], duration: 0 };
      if (event.data.name !== file) count(counts, event.data);
      else for (const member of started.get(file) ?? [file]) yield fileLine(member, running.get(member), event.data);
      running.set(file, counts);
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
  /** In milliseconds, of its tests. */
  duration: number;
}

function count(counts: FileCounts, { name, skip, details, nesting }: Complete): void {
  if (nesting === 0) counts.duration += details.duration_ms;
  if (skip !== undefined) counts.skipped += 1;
  else if (details.type === 'suite') return;
  else if (details.passed) counts.passed += 1;
  else counts.failed.push(name);
}

/** The line of a test file, when the file that was started has ended. */
function fileLine(file: string, counts: FileCounts | undefined, started: Complete): TestEvent {
  const { passed, skipped, failed, duration } = counts ?? { passed: 0, skipped: 0, failed: [], duration: 0 };
  const alone = started.name === file;
  const isPassed = alone ? started.details.passed : counts !== undefined && failed.length === 0;
  const seconds = (alone ? started.details.duration_ms : duration) / 1000;
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  const wrong = failed.length === 0 ? '' : `, ${failed.length} FAILED`;
  const name = path.relative(process.cwd(), file);
  const line = `${isPassed ? '✔' : '✖'} ${name} (${passed} passed${left}${wrong}, ${seconds.toFixed(1)} s)`;
  return message([line, ...failed.map((test) => `    ✖ ${test}`), ''].join('\n'));
}

function message(text: string): TestEvent {
  return { type: 'test:stdout', data: { message: text } } as TestEvent;
}
