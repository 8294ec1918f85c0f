/** Over the embedded store only: the command line knows no store. */
import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { emptySqlite } from '../../../server/support/queries.ts';
import { startTestService, temporaryFolder } from '../../../server/support/service.ts';
import { startCommand } from '../../support/run-command.ts';
import { asPerson } from './as-person.ts';

const service = await startTestService();
const folder = await temporaryFolder();
const configUri = await emptySqlite(folder);

/** The largest memory that the process had, in MiB, as Linux counts it. */
function peakOf(pid: number | undefined, before: number): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.max(before, Number(kib) / 1024);
  } catch {
    return before;
  }
}

async function linesOf(file: string): Promise<number> {
  let lines = 0;
  for await (const bytes of createReadStream(file)) for (const byte of bytes as Buffer) if (byte === 0x0a) lines += 1;
  return lines;
}

describe('a large result', { skip: process.platform === 'linux' ? false : 'reads /proc' }, () => {
  for (const format of ['csv', 'table', 'json']) {
    it(`of 300,000 rows takes hardly more memory than one of 100,000, as ${format}`, { timeout: 120_000 }, async () => {
      using me = await asPerson(service, configUri);
      const run = async (rows: number) => {
        const sql = `with recursive c(x) as (select 1 union all select x + 1 from c where x < ${rows})
          select x, 'row ' || x || ' ${'.'.repeat(500)}' as text, null as n from c`;
        const file = path.join(folder, `${format}-${rows}`);
        const { child, finished } = startCommand(['query', me.alias, sql, '-f', format], { env: me.env, stdout: file });
        let peak = 0;
        const timer = setInterval(() => (peak = peakOf(child.pid, peak)), 10);
        const { code, stderr } = await finished;
        clearInterval(timer);
        assert.equal(code, 0, stderr);
        assert.ok((await linesOf(file)) > rows);
        return peak;
      };
      const [small, large] = [await run(100_000), await run(300_000)];
      // The larger one is 100 MB more on disk, and would be several times that as values.
      assert.ok(large < small + 64, `${Math.round(large)} MiB instead of ${Math.round(small)} MiB`);
    });
  }
});
