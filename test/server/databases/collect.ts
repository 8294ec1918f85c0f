import assert from 'node:assert/strict';
import { parseConnectionUri } from '@rolecall/api';
import {
  type Column,
  type CommandSink,
  type RunOptions,
  type RunOutcome,
  runCommands,
} from '../../../server/databases/run.ts';
import { guard } from '../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../support/handles.ts';

export interface Collected {
  columns?: Column[];
  rows: (string | null)[][];
  /** Rows that came, also where their content was not kept. */
  count: number;
  updateCount?: number | null;
  kind?: 'query' | 'update';
  error?: string;
}

export interface Run {
  outcome: RunOutcome;
  results: Collected[];
}

/** A sink that keeps all it gets, and checks the order of its calls and the lengths of rows. */
export function collector(results: Collected[], keep = true): CommandSink {
  const at = (index: number): Collected => results[index] ?? assert.fail(`result ${index} was not started`);
  return {
    started: (index) => {
      assert.equal(index, results.length);
      results.push({ rows: [], count: 0 });
    },
    columns: (index, columns) => {
      assert.equal(at(index).columns, undefined);
      at(index).columns = columns;
    },
    rows: (index, { bytes, lengths, count }) => {
      assert.ok(at(index).columns !== undefined && at(index).kind === undefined);
      assert.equal(lengths.length, count);
      at(index).count += count;
      if (!keep) return;
      const rows = JSON.parse(`[${bytes.toString()}]`) as (string | null)[][];
      assert.equal(rows.length, count);
      at(index).rows.push(...rows);
      let start = 0;
      for (const length of lengths) {
        JSON.parse(bytes.toString('utf8', start, start + length));
        start += length + 1;
      }
      assert.equal(start, bytes.length + 1);
    },
    completed: (index, completion) => {
      assert.equal(at(index).error, undefined);
      Object.assign(at(index), completion);
    },
    failed: (index, message) => {
      assert.equal(at(index).kind, undefined);
      at(index).error = message;
    },
  };
}

/** Runs commands and leaves nothing open. */
export async function run(uri: string, commands: string[], options: Partial<RunOptions> = {}): Promise<Run> {
  const handles = openHandles();
  const results: Collected[] = [];
  const outcome = await runCommands(parseConnectionUri(uri), commands, collector(results), {
    guard,
    signal: new AbortController().signal,
    ...options,
  });
  await assertNothingLeft(handles);
  return { outcome, results };
}

/** Runs commands that must succeed. */
export async function succeed(uri: string, ...commands: string[]): Promise<Collected[]> {
  const { outcome, results } = await run(uri, commands);
  assert.deepEqual(outcome, { success: true }, JSON.stringify(results.at(-1)));
  assert.equal(results.length, commands.length);
  return results;
}

/** Runs commands whose last one must fail; gives its message. */
export async function fail(uri: string, ...commands: string[]): Promise<string> {
  const { outcome, results } = await run(uri, commands);
  assert.ok(!outcome.success, 'succeeded');
  assert.equal(outcome.result, commands.length - 1);
  assert.equal(results.length, commands.length);
  assert.equal(results.at(-1)?.error, outcome.message);
  return outcome.message;
}

/** The one cell of the one row of a query. */
export async function cellOf(uri: string, ...commands: string[]): Promise<{ value: string | null; column: Column }> {
  const last = (await succeed(uri, ...commands)).at(-1);
  const [column] = last?.columns ?? [];
  const [row] = last?.rows ?? [];
  assert.ok(column !== undefined && row?.length === 1);
  return { value: row[0] ?? null, column };
}
