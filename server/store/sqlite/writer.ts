import { bumpCollectionVersion } from '../collection-version.ts';
import type { Collection, Executor, MaybePromise, Write } from '../store.ts';
import { beginWrite } from './begin-write.ts';
import type { SqliteConnection } from './connection.ts';

interface Queued {
  readonly changes: readonly Collection[];
  readonly work: (executor: Executor) => MaybePromise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** More than this in one group would keep reads waiting for milliseconds. */
const largestGroup = 256;

/** Takes writes, and runs those that come within one turn of the event loop as one transaction. */
export interface Writer {
  readonly write: Write;
  /** Waits for the writes that were taken, and takes no more. */
  close(): Promise<void>;
}

/**
 * Groups writes: a commit waits for the disk, so that many clients share one. Each write has a savepoint of its own, and
 * the failure of one undoes only that one. None is answered before the commit.
 *
 * @param committed is called after each commit, before anything is answered
 */
export function createWriter(connection: SqliteConnection, committed: () => void): Writer {
  let queue: Queued[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      // Lets all that the event loop has ready join the group.
      await new Promise(setImmediate);
      const group = queue.slice(0, largestGroup);
      queue = queue.slice(largestGroup);
      await runGroup(connection, group, committed);
    }
    running = undefined;
  }

  return {
    write: <T>(changes: readonly Collection[], work: (executor: Executor) => MaybePromise<T>) =>
      new Promise<T>((resolve, reject) => {
        if (closed) throw new Error('the store is closed');
        // What `work` gives is what `resolve` takes; the queue holds writes of every kind.
        queue.push({ changes, work, resolve: resolve as (value: unknown) => void, reject });
        running ??= drain();
      }),
    close: async () => {
      closed = true;
      await running;
    },
  };
}

async function runGroup(connection: SqliteConnection, group: readonly Queued[], committed: () => void): Promise<void> {
  try {
    const answers = await commitGroup(connection, group);
    committed();
    for (const answer of answers) answer();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Runs a group in one transaction; gives, once that is on disk, what settles each write. */
async function commitGroup(connection: SqliteConnection, group: readonly Queued[]): Promise<(() => void)[]> {
  const changed = new Set<Collection>();
  const answers: (() => void)[] = [];
  await beginWrite(connection);
  try {
    for (const write of group) answers.push(await runWrite(connection, write, changed));
    for (const collection of changed) await bumpCollectionVersion(connection, collection);
    connection.run('COMMIT');
    return answers;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

async function runWrite(connection: SqliteConnection, write: Queued, changed: Set<Collection>): Promise<() => void> {
  const { changes, work, resolve, reject } = write;
  connection.run('SAVEPOINT one_write');
  try {
    const value = await work(connection);
    connection.run('RELEASE one_write');
    for (const collection of changes) changed.add(collection);
    return () => {
      resolve(value);
    };
  } catch (error) {
    // Where SQLite itself has ended the transaction (disk full), this throws, and the whole group fails.
    connection.run('ROLLBACK TO one_write');
    connection.run('RELEASE one_write');
    return () => {
      reject(error);
    };
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.run('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself already.
  }
}
