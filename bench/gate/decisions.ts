import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Gate } from '../../server/access/gate.ts';
import { findPerson } from '../../server/store/person.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import type { Store } from '../../server/store/store.ts';
import { median, round } from '../report/report.ts';

const size = {
  people: 10_000,
  dataSources: 1000,
  roles: 500,
  inRoles: 40_000,
  sourcesInRoles: 10_000,
  permissions: 50_000,
};
const rounds = 5;
const decisions = 10_000;

/** Processor time of one decision, in a store with many grants. */
export async function measureDecisions(): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  const store = await openSqliteStore(folder);
  const gate = new Gate({
    store,
    onError: (error) => {
      throw error;
    },
  });
  try {
    await populate(store);
    const person = (index: number) => `p${(index * 7919) % size.people}`;
    const source = (index: number) => `d${(index * 31) % size.dataSources}`;
    const turns = [];
    for (let turn = 0; turn < rounds; turn += 1) {
      turns.push({
        decision: await cpuOf(decisions, (index) => gate.reach(person(index), source(index))),
        read: await cpuOf(decisions, (index) => store.read((executor) => findPerson(executor, person(index)))),
        list: await cpuOf(decisions / 10, (index) => gate.reachAll(person(index))),
      });
    }
    return {
      grants: size.inRoles + size.sourcesInRoles + size.permissions,
      decisionCpuMicros: round(median(turns.map(({ decision }) => decision)), 1),
      decisionToReadRatio: round(median(turns.map(({ decision, read }) => decision / read)), 1),
      accessListCpuMicros: round(median(turns.map(({ list }) => list)), 1),
    };
  } finally {
    await gate.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns microseconds of this process's CPU for each */
async function cpuOf(count: number, work: (index: number) => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await work(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** Spread evenly, by numbers that share no factor. */
async function populate(store: Store): Promise<void> {
  const at = '2026-01-01T00:00:00.000Z';
  const numbers = (most: number) =>
    sql`with recursive c(i) as (select 0 union all select i + 1 from c where i < ${sql.lit(most - 1)})`;
  await store.write([], async ({ db }) => {
    await sql`insert into person (id, name, username, username_key, email, email_key, created_at)
      ${numbers(size.people)} select 'p' || i, 'n', 'u' || i, 'u' || i, 'e' || i, 'e' || i, ${at} from c`.execute(db);
    await sql`insert into data_source (id, name, alias, type, sealed_uri, shown_uri, created_at, updated_at)
      ${numbers(size.dataSources)} select 'd' || i, 'n', 'a' || i, 'sqlite', x'00', '', ${at}, ${at} from c`.execute(
      db,
    );
    await sql`insert into role (id, name, created_at, updated_at)
      ${numbers(size.roles)} select 'r' || i, 'n' || i, ${at}, ${at} from c`.execute(db);
    await sql`insert into role_person (role_id, person_id, assigned_at) ${numbers(size.inRoles)}
      select 'r' || ((i * 7 + i / ${sql.lit(size.people)} * 131) % ${sql.lit(size.roles)}), 'p' || (i % ${sql.lit(size.people)}), ${at} from c`.execute(
      db,
    );
    await sql`insert into role_data_source (role_id, data_source_id, assigned_at) ${numbers(size.sourcesInRoles)}
      select 'r' || (i % ${sql.lit(size.roles)}), 'd' || ((i * 13 + i / ${sql.lit(size.roles)}) % ${sql.lit(size.dataSources)}), ${at} from c`.execute(
      db,
    );
    await sql`insert into permission (person_id, data_source_id, starts_at, expires_at, created_at) ${numbers(size.permissions)}
      select 'p' || (i % ${sql.lit(size.people)}), 'd' || ((i * 31) % ${sql.lit(size.dataSources)}), ${at}, '9999-01-01T00:00:00.000Z', ${at}
      from c`.execute(db);
  });
}
