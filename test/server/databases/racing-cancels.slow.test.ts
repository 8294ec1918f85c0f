import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { mariadbArena, postgresArena, raceCancels, sqliteArena } from './racing-cancels.ts';

const races = [
  { name: 'PostgreSQL', skip: requires('postgresql'), open: postgresArena },
  { name: 'MariaDB', skip: requires('mariadb'), open: mariadbArena },
  { name: 'SQLite', skip: {}, open: sqliteArena },
];

describe('10,000 cancels that race with the end of their queries', () => {
  for (const { name, skip, open } of races) {
    it(`either cancel them or come too late, hit no other, and leave no session on ${name}`, skip, async (test) => {
      const arena = await open();
      test.after(arena.close);
      const report = await raceCancels(arena, 10_000);
      test.diagnostic(JSON.stringify(report));
      assert.ok(report.cancelled > 1000 && report.committed > 1000 && report.bystanders > 0);
    });
  }
});
