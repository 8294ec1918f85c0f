/**
 * Runs in a process of its own, which the parent can kill: SQLite works synchronously and cannot be interrupted. Reads a question
 * as JSON from standard input, and writes one answer as JSON to standard output.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** `busyTimeout`: how long to wait for a locked file, in milliseconds. */
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
    // Opening a file reads nothing: only this notices a file that is not a database.
    database.prepare('PRAGMA schema_version').get();
    return { version: String(database.prepare('SELECT sqlite_version() AS version').get()?.['version']) };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Opens a database in WAL mode as immutable if no process has it open. Otherwise even a reader would create -wal and -shm files
 * and leave them behind, owned by this service's user instead of the owner of the database.
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
