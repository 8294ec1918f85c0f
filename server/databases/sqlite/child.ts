/**
 * Runs in a process of its own, which its parent can kill: SQLite works synchronously and offers no way to interrupt it.
 * Takes a question as JSON on standard input, gives one answer as JSON on standard output.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** `busyTimeout` in milliseconds: how long to wait for a file that somebody else has locked. */
export interface Question {
  file: string;
  busyTimeout: number;
}

export type Answer = { version: string } | { message: string };

const answer = ask(JSON.parse(await text(process.stdin)) as Question);
process.stdout.write(JSON.stringify(answer));

function ask({ file, busyTimeout }: Question): Answer {
  try {
    using database = new DatabaseSync(place(file), { readOnly: true, timeout: busyTimeout });
    // Opening a file reads nothing of it: a file that is no database shows only now.
    database.prepare('PRAGMA schema_version').get();
    return { version: String(database.prepare('SELECT sqlite_version() AS version').get()?.['version']) };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * A database in WAL mode that nobody has open is opened as immutable. Otherwise even a reader makes the -wal and -shm
 * files beside it, leaves them there, and they belong to this service's user, who may not be the owner's.
 */
function place(file: string): string | URL {
  if (!isWal(file) || existsSync(`${file}-wal`)) return file;
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url;
}

/** Byte 18 of the header is the version of the file format for writing: 2 is WAL (sqlite.org/fileformat2.html). */
function isWal(file: string): boolean {
  if (!existsSync(file)) return false;
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(20);
    return readSync(descriptor, header) === 20 && header.toString('latin1', 0, 6) === 'SQLite' && header[18] === 2;
  } finally {
    closeSync(descriptor);
  }
}
