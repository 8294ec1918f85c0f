import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { versions } from 'node:process';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { StoreUnavailableError } from '../errors.ts';
import { type Statement, statement } from '../statement.ts';
import type { SqliteConnection } from './connection.ts';

/** Each page that changed is written to the file once a checkpoint: every 32 MiB of the log, not every 4. */
const defaultCheckpointAt = 8000;

/** In pages: how long the log is, and how much of it is in the store's file already. */
interface Length {
  log: number;
  checkpointed: number;
}

const length: Statement<Record<string, never>, Length> = statement()((db) => ({
  compile: () => sql<Length>`PRAGMA wal_checkpoint(NOOP)`.compile(db),
}));

/** Older versions of SQLite take NOOP for PASSIVE. There SQLite copies the log by itself, in a commit. */
const hasLength = isAtLeast(versions.sqlite ?? '', [3, 51]);

/**
 * The log to which the embedded store commits. It waits for the disk off the event loop, where SQLite would stop all requests for
 * the milliseconds that each commit takes (docs/decisions/0053-commits-off-the-event-loop.md).
 */
export class WriteAheadLog {
  readonly #connection: SqliteConnection;
  readonly #file: FileHandle;
  readonly #checkpointAt: number;
  #length: Length = { log: 0, checkpointed: 0 };
  #thread: Worker | undefined;
  #checkpoint: Promise<void> | undefined;
  #failure: StoreUnavailableError | undefined;

  private constructor(connection: SqliteConnection, file: FileHandle, checkpointAt: number) {
    this.#connection = connection;
    this.#file = file;
    this.#checkpointAt = checkpointAt;
  }

  /**
   * Takes over the durability of a connection, which must be the one that writes and must have read from the store.
   *
   * @param checkpointAt after how many pages of the log they are copied into the store's file
   */
  static async take(connection: SqliteConnection, checkpointAt = defaultCheckpointAt): Promise<WriteAheadLog> {
    // The log of a process that was killed may not be on disk, and after a disk that failed, not even a second fsync would tell.
    connection.run('PRAGMA wal_checkpoint(PASSIVE)');
    // SQLite neither replaces nor deletes this file while a connection is open.
    const file = await open(`${connection.file}-wal`, 'r+');
    connection.run('PRAGMA synchronous = NORMAL');
    // Beyond this, SQLite copies the log by itself: the thread did not keep up, or cannot start.
    connection.run(`PRAGMA wal_autocheckpoint = ${hasLength ? checkpointAt * 8 : checkpointAt}`);
    return new WriteAheadLog(connection, file, checkpointAt);
  }

  /** @throws StoreUnavailableError once the disk has failed to store a commit */
  readonly requireIntact = (): void => {
    if (this.#failure !== undefined) throw this.#failure;
  };

  /**
   * Waits until everything that was committed is on disk.
   *
   * @throws StoreUnavailableError
   */
  async sync(): Promise<void> {
    this.requireIntact();
    try {
      await this.#file.datasync();
    } catch (cause) {
      // The system may have dropped what it could not write, and would report success the next time.
      this.#failure = new StoreUnavailableError(
        `the disk failed to store what was written (${path.dirname(this.#connection.file)}), so nothing is read or written any more: check the disk, then start the service again`,
        { maybeStored: true, cause },
      );
      throw this.#failure;
    }
    if (!hasLength) return;
    this.#measure();
    if (this.#isDue(1)) void this.#copy();
  }

  /** Waits where the log has become twice as long as it should: SQLite begins it anew only when all of it was copied. */
  async makeRoom(): Promise<void> {
    if (!this.#isDue(2)) return;
    await this.#checkpoint;
    // No write comes in between, so that this one copies everything that no other process is still reading.
    await this.#copy();
    this.#measure();
  }

  /** Ends the thread and closes the log. */
  async close(): Promise<void> {
    await this.#checkpoint;
    if (this.#thread !== undefined) {
      const ended = once(this.#thread, 'exit');
      this.#thread.ref();
      this.#thread.postMessage('close');
      await ended;
    }
    await this.#file.close();
  }

  #measure(): void {
    this.#length = this.#connection.all(length, {})[0] ?? this.#length;
  }

  #isDue(times: number): boolean {
    const { log, checkpointed } = this.#length;
    return checkpointed < log && log >= times * this.#checkpointAt;
  }

  #copy(): Promise<void> {
    return (this.#checkpoint ??= this.#runCheckpoint().finally(() => {
      this.#checkpoint = undefined;
    }));
  }

  async #runCheckpoint(): Promise<void> {
    const thread = (this.#thread ??= this.#start());
    const { promise, resolve } = Promise.withResolvers<unknown>();
    thread.once('message', resolve).once('exit', resolve);
    // Only its work keeps the process alive.
    thread.ref();
    thread.postMessage('checkpoint');
    await promise;
    thread.off('message', resolve).off('exit', resolve).unref();
  }

  #start(): Worker {
    // Beside this file, with its ending: TypeScript from the sources, JavaScript from dist.
    const module = new URL(`./checkpoint-thread${path.extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(module, { workerData: this.#connection.file });
    thread.unref();
    // The log is as it was, and the next checkpoint starts another thread. A disk that fails is found by the next commit.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#thread = undefined;
    });
    return thread;
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
