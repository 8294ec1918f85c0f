import type { ConnectionUri, DataSourceType } from '@rolecall/api';
import { defaultLiveness, type Liveness } from './connections/liveness.ts';
import { settleWithin, withDeadline } from './deadline.ts';
import { describeFailure } from './failure.ts';
import type { Guard } from './guard/index.ts';
import { interruptible, type StopSources } from './interruptible.ts';
import { ResultWriter } from './rows/result-writer.ts';
import type { CommandSink, RunOutcome } from './rows/results.ts';
import { type Bindings, CommandError, type OpenSession, type Session } from './session.ts';

export type { Column, ColumnFormat, CommandSink, Completion, RowChunk, RunOutcome } from './rows/results.ts';

export interface RunOptions {
  guard: Guard;
  /** Cancels: the database stops working on the commands, and nothing of them stays. Its reason is the message. */
  signal: AbortSignal;
  /** Values for the parameters of each command. Default: none. */
  bindings?: Bindings;
  /** Called before the commit. If it throws, the commands are rolled back. */
  beforeCommit?: () => void;
  /** Time limit for connecting, logging in and beginning a transaction; the URI's `connect_timeout` shortens it. */
  connectTimeoutMs?: number;
  /** Time limit of the database for one command. Default: none. */
  statementTimeoutMs?: number;
  /** Times after which a silent database counts as hanging. */
  liveness?: Liveness;
  /** Bytes of rows that may wait for a slow sink before the database has to wait. */
  highWaterBytes?: number;
}

const openMysql: OpenSession = async (...args) => (await import('./mysql/session.ts')).openMysql(...args);

/** Loads a driver when it is first needed, so that the start of the service does not wait for unused ones. */
const openers: Readonly<Record<DataSourceType, OpenSession>> = {
  postgresql: async (...args) => (await import('./postgresql/session.ts')).openPostgresql(...args),
  mysql: openMysql,
  mariadb: openMysql,
  sqlite: async (...args) => (await import('./sqlite/session.ts')).openSqlite(...args),
};

/** Time limit of a rollback, in milliseconds. After that the connection is closed, which rolls back too. */
const rollbackTimeout = 1000;

/**
 * Runs commands one after another in a single transaction, on their own connection, at most once. The first failure rolls
 * everything back, and no later command starts.
 *
 * @param commands one statement each
 * @param sink takes the results as they come
 * @returns the outcome; failures of the database are not thrown
 * @throws only what the sink threw, after the rollback
 */
export async function runCommands(
  uri: ConnectionUri,
  commands: readonly string[],
  sink: CommandSink,
  {
    guard,
    signal,
    bindings = {},
    beforeCommit,
    connectTimeoutMs = 10_000,
    statementTimeoutMs,
    liveness = defaultLiveness,
    highWaterBytes = 1024 * 1024,
  }: RunOptions,
): Promise<RunOutcome> {
  const stop: StopSources = { signal, sinkFailed: new AbortController(), liveness };
  const writer = new ResultWriter(sink, highWaterBytes, (error) => {
    stop.sinkFailed.abort(error);
  });
  const failure = (error: unknown, result: number | null): RunOutcome => ({
    success: false,
    message: describeFailure(error, uri),
    result,
    cancelled: signal.aborted,
  });

  let session: Session;
  try {
    const uriTimeout = Number(uri.parameters['connect_timeout'] ?? Infinity) * 1000;
    session = await withDeadline(Math.min(connectTimeoutMs, uriTimeout), signal, async (bound) =>
      openers[uri.type](await guard.admit(uri, bound), { signal: bound, statementTimeoutMs }),
    );
  } catch (error) {
    return failure(error, null);
  }
  try {
    try {
      await runAll(session, { commands, bindings, statementTimeoutMs }, writer, stop);
      beforeCommit?.();
    } catch (error) {
      await settleWithin(rollbackTimeout, session.rollback());
      // A slow sink must not hold the database's connection.
      session.close();
      const result = writer.failed(describeFailure(error, uri));
      await writer.settled();
      return failure(error, result);
    }
    try {
      await interruptible(session, writer, stop, statementTimeoutMs, () => session.commit(), true);
      return { success: true };
    } catch (error) {
      return failure(error instanceof CommandError ? error : unknownCommit(error), null);
    }
  } finally {
    session.close();
    await writer.settled();
  }
}

interface Work {
  readonly commands: readonly string[];
  readonly bindings: Bindings;
  readonly statementTimeoutMs: number | undefined;
}

async function runAll(
  session: Session,
  { commands, bindings, statementTimeoutMs }: Work,
  writer: ResultWriter,
  stop: StopSources,
): Promise<void> {
  for (const command of commands) {
    stop.signal.throwIfAborted();
    writer.start();
    // The protocols end a text at a NUL, and would take the rest for the next message.
    if (command.includes('\0')) throw new CommandError('a command must not contain the character NUL');
    await interruptible(session, writer, stop, statementTimeoutMs, () => session.execute(command, writer, bindings));
    await writer.settled();
  }
  stop.signal.throwIfAborted();
}

function unknownCommit(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(
    `the connection ended during the commit, so it is unknown whether the commands took effect: ${reason}`,
  );
}
