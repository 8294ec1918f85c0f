import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const mebibyte = 1024 * 1024;

/** The most memory that one process may use, in bytes. The longest row takes half of it on its way. */
const mostMemory = 512 * mebibyte;

/** Interval at which the memory is checked, in milliseconds: SQLite allocates at most about a gigabyte a second. */
const watchEvery = 50;

export interface SqliteChild {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** Why it ended, once it has. */
  readonly reason: () => Error;
}

/**
 * Starts a script of this folder in a process that the caller can kill, with no part of the service's environment.
 *
 * V8 limits the JavaScript heap, but SQLite allocates outside of it and keeps no count. So the whole process is watched from
 * outside, if the system reports its memory (Linux). Elsewhere only the size of a value is limited.
 */
export function spawnChild(name: 'child' | 'run-child'): SqliteChild {
  // Beside this file, with its ending: TypeScript from the sources, JavaScript from dist.
  const script = fileURLToPath(new URL(`./${name}${path.extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256', script], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let tooLarge = false;
  const watch = setInterval(() => {
    const memory = residentMemory(child.pid);
    if (memory === undefined) clearInterval(watch);
    else if (memory > mostMemory) {
      tooLarge = true;
      child.kill('SIGKILL');
    }
  }, watchEvery).unref();
  child.on('close', () => {
    clearInterval(watch);
  });
  return {
    process: child,
    reason: () => {
      const { signalCode, exitCode } = child;
      // V8 aborts when its heap is full.
      if (tooLarge || signalCode === 'SIGABRT') {
        return new Error(
          `the query needs more than the ${mostMemory / mebibyte} MiB of memory that one on a SQLite file may use`,
        );
      }
      return new Error(`the process that works on SQLite files ended with ${signalCode ?? exitCode ?? 'nothing'}`);
    },
  };
}

/**
 * The service's environment holds its secrets, and NODE_OPTIONS for itself. Windows needs SystemRoot. Each query starts a process:
 * with the compiled code that this process keeps, if it keeps any, it starts in half the time.
 */
function environment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return {
    SystemRoot: process.env['SystemRoot'],
    // Node appends a folder of its version.
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) }),
  };
}

/** @returns bytes; undefined if the process has ended, or the system does not report it */
function residentMemory(pid: number | undefined): number | undefined {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
