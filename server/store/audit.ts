import { statement } from './statement.ts';
import { type Executor, first, type MaybePromise } from './store.ts';

/** An entry as it is stored; `content` is JSON, byte for byte what was hashed. */
export interface StoredEntry {
  seq: number;
  content: string;
  hash: string;
}

export interface StoredHead {
  seq: number;
  hash: string;
  mac: string;
}

const insert = statement<{ seq: number; content: string; hash: string }>()((db, entry) =>
  db.insertInto('audit_entry').values({ seq: entry.seq, content: entry.content, hash: entry.hash }),
);

const advance = statement<{ count: number }>()((db, { count }) =>
  db
    .updateTable('audit_head')
    .set((eb) => ({ seq: eb('seq', '+', count) }))
    .returning(['seq', 'hash']),
);

const seal = statement<{ hash: string; mac: string }>()((db, { hash, mac }) =>
  db.updateTable('audit_head').set({ hash, mac }),
);

const head = statement()((db) => db.selectFrom('audit_head').select(['seq', 'hash', 'mac']));

const after = statement<{ seq: number; limit: number }>()((db, { seq, limit }) =>
  db.selectFrom('audit_entry').select(['seq', 'content', 'hash']).where('seq', '>', seq).orderBy('seq').limit(limit),
);

const before = statement<{ seq: number; limit: number }>()((db, { seq, limit }) =>
  db
    .selectFrom('audit_entry')
    .select(['seq', 'content', 'hash'])
    .where('seq', '<', seq)
    .orderBy('seq', 'desc')
    .limit(limit),
);

/** Settles when the entry is written; the next one may be given before that. */
export function insertEntry(executor: Executor, { seq, content, hash }: StoredEntry): MaybePromise<unknown> {
  return executor.all(insert, { seq, content, hash });
}

/**
 * Takes the next numbers, and with them the lock on the head until the transaction ends.
 *
 * @returns the last of the numbers, and the hash of the entry before the first of them
 */
export async function advanceHead(executor: Executor, count: number): Promise<{ seq: number; hash: string }> {
  return requireHead(await first(executor, advance, { count }));
}

/** Writes the hash of the last entry. */
export function sealHead(executor: Executor, sealed: { hash: string; mac: string }): MaybePromise<unknown> {
  return executor.all(seal, sealed);
}

export async function findHead(executor: Executor): Promise<StoredHead> {
  return requireHead(await first(executor, head, {}));
}

/** Entries after a number, oldest first. */
export async function selectEntriesAfter(executor: Executor, seq: number, limit: number): Promise<StoredEntry[]> {
  return executor.all(after, { seq, limit });
}

/** Entries before a number, newest first. */
export async function selectEntriesBefore(executor: Executor, seq: number, limit: number): Promise<StoredEntry[]> {
  return executor.all(before, { seq, limit });
}

function requireHead<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the store has lost the head of its audit trail');
  return found;
}
