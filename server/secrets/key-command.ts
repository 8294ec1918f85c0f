import { type ChildProcess, spawn } from 'node:child_process';
import { StoreKeyError } from '../store/errors.ts';

const variable = 'ROLECALL_STORE_KEY_COMMAND';

/** Characters that a shell would not take as they stand. */
const shellCharacters = /["'`\\$|&;<>()]/;

/** Milliseconds that the command may take, and bytes that it may print: two keys are 90. */
const keyCommandLimits = { ms: 30_000, bytes: 1024 };

/**
 * Takes the command apart: words with blanks between them, or a JSON array of words. No shell runs unless the command
 * names one, so that nothing in it is expanded by surprise.
 *
 * @throws StoreKeyError, which does not repeat the command: it may hold a token
 */
export function parseKeyCommand(text: string): readonly [program: string, ...args: string[]] {
  const words = text.trimStart().startsWith('[') ? wordsOfJson(text) : wordsOfText(text);
  const [program, ...args] = words;
  if (program !== undefined && program !== '') return [program, ...args];
  throw malformed('names no program');
}

function wordsOfText(text: string): string[] {
  if (shellCharacters.test(text)) throw malformed('has a quote or another character that a shell would interpret');
  return text.trim().split(/\s+/);
}

function wordsOfJson(text: string): string[] {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // The error of JSON.parse would repeat the text.
  }
  throw malformed('begins with [ and is not a JSON array of strings');
}

function malformed(problem: string): StoreKeyError {
  return new StoreKeyError(
    `${variable} ${problem}. It is run without a shell: write words with blanks between them, or a JSON array such as ["sh", "-c", "vault kv get -field=key secret/rolecall"]`,
  );
}

/**
 * Runs the command and gives what it prints. Its standard error is thrown away: it could hold a secret, and ours is a log.
 *
 * @param name of the source, for errors
 * @throws StoreKeyError, which repeats nothing that the command printed
 */
export async function runKeyCommand(
  [program, ...args]: readonly [string, ...string[]],
  name: string,
  limits = keyCommandLimits,
): Promise<string> {
  // In a process group of its own, so that what it has started ends with it.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (problem: string): void => {
    endGroup(child);
    reject(
      new StoreKeyError(`${name} ${problem}. What it printed is not shown, since it could be secret: run it by hand`),
    );
  };
  const timer = setTimeout(() => {
    fail(`did not end within ${limits.ms / 1000} s`);
  }, limits.ms);
  const printed: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.bytes) fail(`printed more than ${limits.bytes} bytes`);
    else printed.push(chunk);
  });
  child.on('error', (error: NodeJS.ErrnoException) => {
    fail(`cannot be run (${error.code ?? 'unknown error'})`);
  });
  child.on('close', (code, signal) => {
    if (code === 0) resolve(Buffer.concat(printed).toString('utf8'));
    else fail(signal === null ? `failed with exit code ${code}` : `was ended by ${signal}`);
  });
  // A service that ends meanwhile leaves nothing running.
  const atExit = (): void => {
    endGroup(child);
  };
  process.once('exit', atExit);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.off('exit', atExit);
  }
}

function endGroup({ pid, stdout }: ChildProcess): void {
  stdout?.destroy();
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
