import type { Kysely } from 'kysely';
import { AuditTrailError } from './errors.ts';
import { listWith, runEach, runWith } from './operations.ts';
import type { Executor } from './store.ts';
import type { AuditEntryTable, AuditHeadTable, Tables } from './tables.ts';

export type StoredEntry = AuditEntryTable;

export type StoredHead = Omit<AuditHeadTable, 'name'>;

/** The next ones may be given before these are written. */
export const insertEntries = runEach<StoredEntry>((db, entries) =>
  db.insertInto('audit_entry').values(entries.map(({ seq, content, hash, mac }) => ({ seq, content, hash, mac }))),
);

const advance = listWith<{ count: number }>()((db, { count }) =>
  db
    .updateTable('audit_head')
    .set((eb) => ({ seq: eb('seq', '+', count) }))
    .returning(['seq', 'hash', 'mac']),
);

/**
 * Takes the next numbers, and with them the lock on the head until the transaction ends.
 *
 * @returns the last of the numbers, with the hash and the seal of the entry before the first of them
 * @throws AuditTrailError where the head was deleted
 */
export async function advanceHead(executor: Executor, count: number): Promise<StoredHead> {
  const [advanced] = await advance(executor, { count });
  if (advanced === undefined) throw new AuditTrailError('has lost its end');
  return advanced;
}

/** Writes the hash of the last entry. */
export const sealHead = runWith<Pick<StoredHead, 'hash' | 'mac'>>((db, { hash, mac }) =>
  db.updateTable('audit_head').set({ hash, mac }),
);

/** Puts the end of the trail somewhere, also where it was deleted. */
export const writeHead = runWith<StoredHead>((db, { seq, hash, mac }) =>
  db
    .insertInto('audit_head')
    .values({ name: 'head', seq, hash, mac })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ seq, hash, mac })),
);

const head = listWith()((db) => db.selectFrom('audit_head').select(['seq', 'hash', 'mac']));

/** @returns undefined where someone has deleted it */
export async function findHead(executor: Executor): Promise<StoredHead | undefined> {
  return (await head(executor, {}))[0];
}

const entries = (db: Kysely<Tables>) => db.selectFrom('audit_entry').select(['seq', 'content', 'hash', 'mac']);

/** Entries after a number, oldest first. */
export const selectEntriesAfter = listWith<{ seq: number; limit: number }>()((db, { seq, limit }) =>
  entries(db).where('seq', '>', seq).orderBy('seq').limit(limit),
);

/** Entries before a number, newest first. */
export const selectEntriesBefore = listWith<{ seq: number; limit: number }>()((db, { seq, limit }) =>
  entries(db).where('seq', '<', seq).orderBy('seq', 'desc').limit(limit),
);

/**
 * The entries around the end of the trail, once `advanceHead` has moved that by `count`: the last one, one behind it that should
 * not be there, and the one with the number `seen`.
 */
export const selectNear = listWith<{ count: number; seen: number }>()((db, { count, seen }) =>
  entries(db).where((eb) => {
    const boundary = db.selectFrom('audit_head').select((row) => row('seq', '-', count).as('seq'));
    const next = db.selectFrom('audit_head').select((row) => row(row('seq', '-', count), '+', 1).as('seq'));
    return eb.or([eb('seq', '=', boundary), eb('seq', '=', next), eb('seq', '=', seen)]);
  }),
);
