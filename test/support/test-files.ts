import { glob, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** The operator's tests first, which wait for its timers while others run; then unit and contract tests, which explain what breaks later. */
const order = ['operator', 'api', 'crds', 'reconcile', 'server', 'cli'];
const root = path.resolve(import.meta.dirname, '../..');

/**
 * Which files of a folder a run takes. Those named *.long.test.ts kill servers, script every fault or wait for real time, and
 * take minutes together; those named *.slow.test.ts take hours.
 */
export type Suite = 'quick' | 'long' | 'quick and long' | 'all';

const isLong = (file: string): boolean => file.endsWith('.long.test.ts');
const isSlow = (file: string): boolean => file.endsWith('.slow.test.ts');
const takes: Readonly<Record<Suite, (file: string) => boolean>> = {
  quick: (file) => !isLong(file) && !isSlow(file),
  long: isLong,
  'quick and long': (file) => !isSlow(file),
  all: () => true,
};

/**
 * The test files to run, in order.
 *
 * @param named files and folders, relative to the working directory; none means the whole of test/
 * @param suite which files of a folder count; one that is named itself always does
 * @returns absolute paths, or why there are none
 */
export async function findTestFiles(named: readonly string[], suite: Suite): Promise<string[] | string> {
  const files = new Set<string>();
  for (const name of named.length === 0 ? [path.join(root, 'test')] : named) {
    const found = await filesOf(path.resolve(name), suite);
    if (found.length === 0) return `no test file in ${name}`;
    for (const file of found) files.add(file);
  }
  return [...files].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** Of these files, those whose tests run over whichever store they are given (test/server/support/stores.ts). */
export async function filesOverBothStores(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((_, index) => {
    const text = texts[index] ?? '';
    return (
      /\b(startTestService|newStore)\(/.test(text) && !/^\/\*\* Over the (embedded|PostgreSQL) store only/.test(text)
    );
  });
}

/** Of these files, those with tests that `requires` the part. */
export async function filesThatRequire(part: string, files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const named = new RegExp(`\\brequires\\([^)]*'${part}'`);
  return files.filter((_, index) => named.test(texts[index] ?? ''));
}

async function filesOf(name: string, suite: Suite): Promise<string[]> {
  const entry = await stat(name).catch(() => undefined);
  if (entry?.isDirectory() !== true) return entry?.isFile() === true && name.endsWith('.test.ts') ? [name] : [];
  const files: string[] = [];
  for await (const file of glob('**/*.test.ts', { cwd: name })) {
    if (takes[suite](file)) files.push(path.join(name, file));
  }
  return files;
}

function rank(file: string): number {
  const part = path.relative(path.join(root, 'test'), file).split(path.sep)[0] ?? '';
  const place = order.indexOf(part);
  return place === -1 ? order.length : place;
}
