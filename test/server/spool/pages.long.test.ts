/** Over the embedded store only: it makes a store in PostgreSQL by itself, whichever the tests run over. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { JsonBytes } from '../../../server/json-answer.ts';
import { openFileSpool } from '../../../server/spool/files/open.ts';
import { openPostgresSpool } from '../../../server/spool/postgresql/open.ts';
import { largestPiece, type ResultId, type Spool } from '../../../server/spool/spool.ts';
import { requires } from '../../support/databases/parts.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { askStore, newPostgresStore, temporaryFolder } from '../support/stores.ts';

const runner = 'the test';
const seed = Date.now();

/** Chunks of few rows and many, mostly short ones, some of up to this many bytes. */
async function fill(spool: Spool, id: ResultId, random: Random, longest: number): Promise<string[]> {
  const rows: string[] = [];
  const writer = spool.write(id, runner);
  for (let chunks = 1 + random.below(10); chunks > 0; chunks -= 1) {
    const chunk = Array.from({ length: 1 + random.below(40) }, () =>
      JSON.stringify(['é'.repeat(Math.floor((longest / 2) * random.next() ** 8))]),
    );
    const lengths = Uint32Array.from(chunk, (row) => Buffer.byteLength(row));
    await writer.append({ bytes: Buffer.from(chunk.join(',')), lengths, count: chunk.length });
    rows.push(...chunk);
  }
  await writer.close();
  return rows;
}

async function readPage(spool: Spool, id: ResultId, seek: number, limit: number, numRows: number): Promise<string> {
  const page = await spool.read(id, { seek, limit, numRows });
  if (page instanceof JsonBytes) return page.bytes.toString();
  const bytes = Buffer.concat((await page.stream.toArray()) as Buffer[]);
  assert.equal(bytes.length, page.length);
  return bytes.toString();
}

/** Reads pages of all kinds; a failure names the seed, by which it can be had again. */
async function comparePages(spool: Spool, newQuery: () => Promise<string>): Promise<void> {
  const random = createRandom(seed);
  for (let count = 0; count < 5; count += 1) {
    const id = { query: await newQuery(), ordinal: 0 };
    const rows = await fill(spool, id, random, count === 0 ? 2.5 * largestPiece : 3000);
    assert.equal(await spool.count(id), rows.length);
    for (let page = 0; page < 12; page += 1) {
      const seek = random.below(rows.length);
      const limit = 1 + random.below(rows.length);
      const found = await readPage(spool, id, seek, limit, rows.length);
      const expected = `[${rows.slice(seek, seek + limit).join(',')}]`;
      assert.ok(found === expected, `seed ${seed}: ${found.length} characters, not ${expected.length}`);
    }
  }
}

describe('a page of rows is those rows, wherever it begins and ends, however they came', () => {
  it('from files', async () => {
    const spool = openFileSpool(await temporaryFolder());
    after(() => spool.close());
    await comparePages(spool, () => Promise.resolve(randomUUID()));
  });

  it('from PostgreSQL', requires('postgresql'), async () => {
    const store = await newPostgresStore();
    const { id: source } = await makers(await startTestService(store)).dataSource();
    const spool = openPostgresSpool(store.databaseUrl);
    after(() => spool.close());
    await comparePages(spool, async () => {
      const query = randomUUID();
      const text =
        'insert into query (id, data_source_id, created_at, runner, lease_until) values ($1, $2, $3, $4, $5)';
      await askStore(store, text, [query, source, new Date().toISOString(), runner, '9999']);
      return query;
    });
  });
});
