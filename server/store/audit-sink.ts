import { findBy, findWith, listBy, runWith } from './operations.ts';

/** The last entry that a sink has taken. */
export interface SinkCursor {
  seq: number;
  hash: string;
}

/** Adds a sink, unless it is there. @param hash what the first entry follows */
export const makeSink = runWith<{ name: string; hash: string }>((db, { name, hash }) =>
  db
    .insertInto('audit_sink')
    .values({ name, seq: 0, hash, owner: '', lease_until: '' })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

export const findSinkCursor = findBy(['name'], (db, { name }) =>
  db.selectFrom('audit_sink').select(['seq', 'hash']).where('name', '=', name),
);

/** Every sink that ever existed, with the number of the last entry that it has taken. */
export const selectSinks = listBy([], (db) => db.selectFrom('audit_sink').select(['name', 'seq']).orderBy('name'));

/** Makes a sink continue behind another entry. */
export const moveSink = runWith<{ name: string; seq: number; hash: string }>((db, { name, seq, hash }) =>
  db.updateTable('audit_sink').set({ seq, hash }).where('name', '=', name),
);

type Lease = { name: string; owner: string; now: string; until: string };

/** Makes a process the one that delivers. @returns undefined while another one does */
export const claimSink = findWith<Lease>()((db, lease) =>
  db
    .updateTable('audit_sink')
    .set({ owner: lease.owner, lease_until: lease.until })
    .where('name', '=', lease.name)
    .where((eb) => eb.or([eb('owner', '=', lease.owner), eb('lease_until', '<', lease.now)]))
    .returning(['seq', 'hash']),
);

/** Records what a sink has taken, and ends the lease. Does nothing if another process has the lease by now. */
export const advanceSink = runWith<{ name: string; owner: string; seq: number; hash: string }>((db, taken) =>
  db
    .updateTable('audit_sink')
    .set({ seq: taken.seq, hash: taken.hash, lease_until: '' })
    .where('name', '=', taken.name)
    .where('owner', '=', taken.owner),
);
