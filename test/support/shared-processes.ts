import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'node_modules/.cache/test-processes');

/** Small enough that the processes of a run end at about the same time. */
const filesPerProcess = 24;

/**
 * Lets test files share processes: for most, to start Node and load what they test takes longer than their tests.
 *
 * @param files absolute paths, in the order in which they run
 * @returns the files to start, in that order, and for each of them the test files that it runs; that may be the file itself
 */
export async function shareProcesses(files: readonly string[]): Promise<Map<string, readonly string[]>> {
  const started = new Map<string, readonly string[]>();
  const sharing = new Map<string, string[]>();
  for (const file of files) {
    if (await needsOwnProcess(file)) started.set(file, [file]);
    else sharing.set(partOf(file), [...(sharing.get(partOf(file)) ?? []), file]);
  }
  for (const [part, members] of sharing) {
    for (let first = 0; first < members.length; first += filesPerProcess) {
      const some = members.slice(first, first + filesPerProcess);
      started.set(some.length === 1 ? String(some[0]) : await writeStart(part, some), some);
    }
  }
  const place = (entry: string): number => files.indexOf(started.get(entry)?.[0] ?? '');
  return new Map([...started].sort(([a], [b]) => place(a) - place(b)));
}

/**
 * What a file does to its whole process: hooks before and around all tests, variables, signals, the clock, measures of its memory,
 * what it has open. A hook after all tests only closes what the file has opened.
 */
const touchesProcess =
  /^(before|beforeEach|afterEach)\(|\bprocess\.(on|once|emit|chdir|exit\w*|kill|memoryUsage|cpuUsage)\b|\bprocess\.env\[[^\]]+\] *\??\??=[^=]|\bmock\.|\bopenHandles\b|support\/(handles|failing-peers|mocked-time|test-outcome)\.ts|\bmonitorEventLoopDelay\b|A process of its own/m;

async function needsOwnProcess(file: string): Promise<boolean> {
  if (/\.(long|slow)\.test\.ts$/.test(file)) return true;
  const text = await readFile(file, 'utf8');
  // Tests that another module declares are reported under that module's name.
  return touchesProcess.test(text) || !text.includes("from 'node:test'");
}

function partOf(file: string): string {
  return path.relative(path.join(root, 'test'), file).split(path.sep)[0] ?? '';
}

/** Writes the file that runs several test files one after the other; one that cannot be loaded is a test that fails. */
async function writeStart(part: string, members: readonly string[]): Promise<string> {
  const urls = members.map((file) => pathToFileURL(file).href);
  const text = `import { before, test } from 'node:test';
const loaded = Promise.withResolvers();
// Hooks after all tests run once all tests so far have ended: they would close what a file that is still loading has opened.
before(() => loaded.promise);
for (const url of ${JSON.stringify(urls, undefined, 2)}) {
  await import(url).catch((error) => test(\`\${url} cannot be loaded\`, () => Promise.reject(error)));
}
loaded.resolve();
`;
  const name = `${part}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.mjs`;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
}
