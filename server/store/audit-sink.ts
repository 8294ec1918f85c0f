import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

/** The last entry that a sink has taken. */
export interface SinkCursor {
  seq: number;
  hash: string;
}

const make = statement<{ name: string; hash: string }>()((db, { name, hash }) =>
  db
    .insertInto('audit_sink')
    .values({ name, seq: 0, hash, owner: '', lease_until: '' })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const cursors = statement()((db) => db.selectFrom('audit_sink').select(['name', 'seq']).orderBy('name'));

const move = statement<{ name: string; seq: number; hash: string }>()((db, { name, seq, hash }) =>
  db.updateTable('audit_sink').set({ seq, hash }).where('name', '=', name),
);

const cursor = statement<{ name: string }>()((db, { name }) =>
  db.selectFrom('audit_sink').select(['seq', 'hash']).where('name', '=', name),
);

const claim = statement<{ name: string; owner: string; now: string; until: string }>()((db, lease) =>
  db
    .updateTable('audit_sink')
    .set({ owner: lease.owner, lease_until: lease.until })
    .where('name', '=', lease.name)
    .where((eb) => eb.or([eb('owner', '=', lease.owner), eb('lease_until', '<', lease.now)]))
    .returning(['seq', 'hash']),
);

const advance = statement<{ name: string; owner: string; seq: number; hash: string }>()((db, taken) =>
  db
    .updateTable('audit_sink')
    .set({ seq: taken.seq, hash: taken.hash, lease_until: '' })
    .where('name', '=', taken.name)
    .where('owner', '=', taken.owner)
    .returning('name'),
);

/** @param hash what the first entry follows */
export async function makeSink(executor: Executor, name: string, hash: string): Promise<void> {
  await executor.all(make, { name, hash });
}

export async function findSinkCursor(executor: Executor, name: string): Promise<SinkCursor | undefined> {
  return first(executor, cursor, { name });
}

/** Every sink that ever was, and the number of the last entry that it has taken. */
export async function selectSinks(executor: Executor): Promise<{ name: string; seq: number }[]> {
  return executor.all(cursors, {});
}

/** Has a sink go on behind another entry. */
export async function moveSink(executor: Executor, sink: { name: string; seq: number; hash: string }): Promise<void> {
  await executor.all(move, sink);
}

/** Makes a process the one that delivers. @returns undefined while another one does */
export async function claimSink(
  executor: Executor,
  lease: { name: string; owner: string; now: string; until: string },
): Promise<SinkCursor | undefined> {
  return first(executor, claim, lease);
}

/** Records what a sink has taken, and ends the lease; nothing where another process has it by now. */
export async function advanceSink(
  executor: Executor,
  taken: { name: string; owner: string; seq: number; hash: string },
): Promise<void> {
  await executor.all(advance, taken);
}
