/** Changes the key of a store, in a process that kills itself before one of its writes: arguments are the store as JSON, and which write. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import type { TestStore } from './stores.ts';

const [store = '', which = ''] = process.argv.slice(2);
let writes = 0;

function count(): void {
  writes += 1;
  if (writes === Number(which)) process.kill(process.pid, 'SIGKILL');
}

function countSql(text: string): void {
  if (/^\s*(begin|savepoint|insert|update|delete|release|commit)/i.test(text)) count();
}

/** Puts something before each call of a method. */
function precede<T extends object>(
  owner: T,
  name: keyof T & string,
  first: (self: unknown, ...args: unknown[]) => void,
) {
  const original = owner[name] as (...args: unknown[]) => unknown;
  Object.defineProperty(owner, name, {
    value(this: unknown, ...args: unknown[]): unknown {
      first(this, ...args);
      return original.apply(this, args);
    },
  });
}

for (const name of ['writeFileSync', 'renameSync', 'fsyncSync'] as const) precede(fs, name, count);
syncBuiltinESMExports();
precede(DatabaseSync.prototype, 'exec', (_self, text) => {
  countSql(String(text));
});
for (const name of ['all', 'get', 'run'] as const) {
  precede(StatementSync.prototype, name, (self) => {
    countSql((self as StatementSync).sourceSQL);
  });
}
precede(pg.Client.prototype, 'query', (_self, query) => {
  countSql(typeof query === 'string' ? query : (query as { text: string }).text);
});

const { rekeyStore } = await import('@rolecall/server');
await rekeyStore(JSON.parse(store) as TestStore);
