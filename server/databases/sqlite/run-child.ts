/**
 * Runs the commands of one query on a SQLite file, in a process of its own that the parent can kill: SQLite works synchronously
 * and cannot be interrupted. The protocol is in run-protocol.ts.
 */
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { execute } from './execute.ts';
import { type GuardedDatabase, openGuarded } from './guarded-database.ts';
import type { Order } from './run-protocol.ts';
import { writeFrame } from './write-frame.ts';

// The parent kills this process, and Node writes the cache only when a process ends by itself.
flushCompileCache();

let database: GuardedDatabase | undefined;

for await (const line of createInterface({ input: process.stdin })) {
  try {
    const completion = obey(JSON.parse(line) as Order);
    writeFrame('done', completion);
  } catch (error) {
    writeFrame('failed', error instanceof Error ? error.message : String(error));
  }
}

function obey(order: Order) {
  if ('open' in order) {
    database = openGuarded(order.open);
    return null;
  }
  if (database === undefined) throw new Error('no file is open');
  if ('execute' in order) return execute(database, order.execute, order.bindings);
  database.end('commit' in order ? 'COMMIT' : 'ROLLBACK');
  return null;
}
