import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fail } from '../collect.ts';

let folder: string;
let uri: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rolecall-sqlite-memory-'));
  const file = path.join(folder, 'data.db');
  uri = `sqlite://${file}`;
  using database = new DatabaseSync(file);
  database.exec('CREATE TABLE t (i INTEGER PRIMARY KEY)');
});
after(() => {
  rmSync(folder, { recursive: true });
});

describe('the memory of a query on SQLite', () => {
  const growing =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 200) SELECT group_concat(hex(randomblob(500000)), '') FROM c";
  for (const [how, sql] of [
    ['one value', "SELECT length(printf('%.*c', 900000000, 'x'))"],
    ['a value that grows', growing],
  ] as const) {
    it(`is limited where it is for ${how}`, { timeout: 60_000 }, async () => {
      assert.equal(await fail(uri, sql), 'string or blob too big');
    });
  }

  it('is limited where it is for many values, and the message says so', {
    skip: process.platform !== 'linux',
  }, async () => {
    const columns = Array.from({ length: 200 }, () => 'hex(zeroblob(30000000))').join(', ');
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, ...childProcesses().map(residentMemory));
    }, 10);
    const message = await fail(uri, `SELECT ${columns}`).finally(() => {
      clearInterval(watch);
    });
    assert.equal(message, 'the query needs more than the 512 MiB of memory that one on a SQLite file may use');
    assert.ok(most < 1024 ** 3, `it had ${most} bytes`);
  });

  it('includes what a sort would otherwise put into files', {
    skip: process.platform !== 'linux',
    timeout: 60_000,
  }, async () => {
    const endless =
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, hex(randomblob(500)) AS t FROM c';
    const message = await fail(uri, `${endless} ORDER BY t`);
    assert.match(message, /needs more than the 512 MiB of memory/);
  });
});

function childProcesses(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').trim().split(' ');
}

function residentMemory(pid: string): number {
  try {
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
