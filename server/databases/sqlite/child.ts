/**
 * Runs in a process of its own, which its parent can kill: SQLite works synchronously and offers no way to interrupt it.
 * Takes a question as JSON on standard input, gives one answer as JSON on standard output.
 */
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';

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
    using database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeout });
    // Opening a file reads nothing of it: a file that is no database shows only now.
    database.prepare('PRAGMA schema_version').get();
    return { version: String(database.prepare('SELECT sqlite_version() AS version').get()?.['version']) };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}
