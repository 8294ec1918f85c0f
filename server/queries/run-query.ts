import { setTimeout } from 'node:timers/promises';
import type { ConnectionUri } from '@rolecall/api';
import type { Guard } from '../databases/guard/index.ts';
import { runCommands } from '../databases/run.ts';
import type { Bindings } from '../databases/session.ts';
import type { Slots } from '../slots.ts';
import type { Leases } from './leases.ts';
import type { LiveQuery } from './live-query.ts';
import { RecordSink, ResultLimitError, type SinkParts } from './record-sink.ts';

export interface RunParts extends SinkParts {
  readonly guard: Guard;
  readonly slots: Slots;
  readonly leases: Leases;
  /** Time that a database may work on a command; undefined for as long as it takes. */
  readonly statementTimeoutMs: number | undefined;
  /** Gets errors that are not a database's, for the log. */
  readonly onError: (error: unknown) => void;
}

/**
 * Number of tries for the last write of a query, and the pause between two: longer than a store is away while its
 * database restarts. After that its lease expires.
 */
const finalWrites = { attempts: 30, pauseMs: 500 };

/** Work of a query on its database. */
interface Work {
  readonly commands: readonly string[];
  readonly bindings: Bindings;
}

/** Runs a stored query once, to its end, and stores that. Never rejects. */
export async function runQuery(
  live: LiveQuery,
  uri: ConnectionUri,
  { commands, bindings }: Work,
  parts: RunParts,
): Promise<void> {
  const failure = await attempt(live, uri, { commands, bindings }, parts);
  const now = parts.clock().toISOString();
  // The last result of a failed query tells its reader why it failed.
  if (failure !== undefined && live.results.at(-1)?.type !== 'error') {
    const startedAt = live.query.startedAt ?? now;
    live.addResult({ type: 'error', startedAt, completedAt: now, detail: { error: failure } });
  }
  parts.metrics.queryCompleted(outcomeOf(live, failure));
  await live.saved();
  const finished = { ...live.query, completedAt: now, success: failure === undefined };
  for (let count = 1; ; count += 1) {
    try {
      await live.save(parts.store, parts.runner, finished);
      return;
    } catch (error) {
      parts.onError(error);
      if (count === finalWrites.attempts) return;
    }
    await setTimeout(finalWrites.pauseMs);
  }
}

/** @returns why the query failed, or undefined */
async function attempt(live: LiveQuery, uri: ConnectionUri, work: Work, parts: RunParts): Promise<string | undefined> {
  const { store, runner, slots, onError } = parts;
  try {
    await slots.take(live.asker, live.abort.signal);
  } catch (error) {
    return messageOf(error);
  }
  const sink = new RecordSink(live, parts);
  live.query.startedAt = parts.clock().toISOString();
  live.saveSoon(store, runner);
  let failure: string | undefined;
  try {
    failure = await runOnDatabase(live, uri, work, sink, parts);
  } catch (error) {
    if (error instanceof ResultLimitError) failure = error.message;
    else {
      onError(error);
      failure = `the results could not be kept: ${messageOf(error)}`;
    }
  }
  slots.release(live.asker);
  await sink.close(failure).catch(onError);
  return failure;
}

async function runOnDatabase(
  live: LiveQuery,
  uri: ConnectionUri,
  { commands, bindings }: Work,
  sink: RecordSink,
  { guard, leases, statementTimeoutMs }: RunParts,
): Promise<string | undefined> {
  const outcome = await runCommands(uri, commands, sink, {
    guard,
    signal: live.abort.signal,
    bindings,
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
    beforeCommit: () => {
      leases.check(live);
    },
  });
  return outcome.success ? undefined : outcome.message;
}

function outcomeOf({ abort }: LiveQuery, failure: string | undefined): 'succeeded' | 'failed' | 'cancelled' {
  if (failure === undefined) return 'succeeded';
  return abort.signal.aborted ? 'cancelled' : 'failed';
}

/** An error's message, without the paths that Node's own errors name. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOSPC') return 'the disk of the service is full';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
