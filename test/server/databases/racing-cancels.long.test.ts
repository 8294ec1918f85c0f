import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { mariadbArena, postgresArena, raceCancels, sqliteArena } from './racing-cancels.ts';

const races = [
  { name: 'PostgreSQL', skip: requires('postgresql'), open: postgresArena, count: 150 },
  { name: 'MariaDB', skip: requires('mariadb'), open: mariadbArena, count: 150 },
  { name: 'SQLite', skip: {}, open: sqliteArena, count: 40 },
];

describe('a cancel that races with the end of its query', () => {
  for (const { name, skip, open, count } of races) {
    it(`either cancels it or comes too late, hits no other, and leaves no session on ${name}`, skip, async (test) => {
      const arena = await open();
      test.after(arena.close);
      const report = await raceCancels(arena, count);
      test.diagnostic(JSON.stringify(report));
      assert.ok(report.cancelled > 0 && report.bystanders > 0);
    });
  }
});
