import { setTimeout } from 'node:timers/promises';
import type { ConnectionUri } from '@rolecall/api';
import type { Guard } from '../databases/guard/index.ts';
import { runCommands } from '../databases/run.ts';
import type { Leases } from './leases.ts';
import { addResult, type LiveQuery, saveChanges, saveSoon } from './live-query.ts';
import { createRecordSink, ResultLimitError, type SinkParts } from './record-sink.ts';
import type { Slots } from './slots.ts';

export interface RunParts extends SinkParts {
  readonly guard: Guard;
  readonly slots: Slots;
  readonly leases: Leases;
  /** How long a database may work on one command; undefined for as long as it takes. */
  readonly statementTimeoutMs: number | undefined;
  /** Told of what is no failure of a database, for the log. */
  readonly onError: (error: unknown) => void;
}

/** How often the end of a query is written before its lease has to run out instead, and the time between. */
const savings = { attempts: 5, pauseMs: 500 };

/** Runs a query that is stored, once, to its end, which is stored too. Never rejects. */
export async function runQuery(
  live: LiveQuery,
  uri: ConnectionUri,
  commands: readonly string[],
  parts: RunParts,
): Promise<void> {
  const failure = await attempt(live, uri, commands, parts);
  const now = parts.clock().toISOString();
  // Whoever reads the last result of a query that failed reads why.
  if (failure !== undefined && live.results.at(-1)?.type !== 'error') {
    const startedAt = live.query.startedAt ?? now;
    addResult(live, { type: 'error', startedAt, completedAt: now, detail: { error: failure } });
  }
  parts.metrics.queryCompleted(outcomeOf(live, failure));
  await live.saving;
  const finished = { ...live, query: { ...live.query, completedAt: now, success: failure === undefined } };
  for (let count = 1; ; count += 1) {
    try {
      await saveChanges(finished, parts.store, parts.runner);
      return;
    } catch (error) {
      parts.onError(error);
      if (count === savings.attempts) return;
    }
    await setTimeout(savings.pauseMs);
  }
}

/** @returns why it failed, or undefined */
async function attempt(
  live: LiveQuery,
  uri: ConnectionUri,
  commands: readonly string[],
  parts: RunParts,
): Promise<string | undefined> {
  const { signal } = live.abort;
  try {
    await parts.slots.take(live.key, signal);
  } catch (error) {
    return describe(error);
  }
  const sink = createRecordSink(live, parts);
  let failure: string | undefined;
  try {
    live.query.startedAt = parts.clock().toISOString();
    saveSoon(live, parts.store, parts.runner);
    const outcome = await runCommands(uri, commands, sink, {
      guard: parts.guard,
      signal,
      ...(parts.statementTimeoutMs === undefined ? {} : { statementTimeoutMs: parts.statementTimeoutMs }),
      beforeCommit: () => {
        parts.leases.check(live);
      },
    });
    failure = outcome.success ? undefined : outcome.message;
  } catch (error) {
    if (error instanceof ResultLimitError) failure = error.message;
    else {
      parts.onError(error);
      failure = `the results could not be kept: ${describe(error)}`;
    }
  }
  parts.slots.release(live.key);
  await sink.close(failure).catch(parts.onError);
  return failure;
}

function outcomeOf({ abort }: LiveQuery, failure: string | undefined): 'succeeded' | 'failed' | 'cancelled' {
  if (failure === undefined) return 'succeeded';
  return abort.signal.aborted ? 'cancelled' : 'failed';
}

/** Without the paths that Node's errors name. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOSPC') return 'the disk of the service is full';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
