import { statement } from './statement.ts';
import { type Executor, first, type MaybePromise } from './store.ts';

/** An entry as it is stored; `content` is JSON, byte for byte what was hashed. */
export interface StoredEntry {
  seq: number;
  content: string;
  hash: string;
  /** Null in an entry from before entries were sealed one by one. */
  mac: string | null;
}

export interface StoredHead {
  seq: number;
  hash: string;
  mac: string;
}

const insert = statement<{ seq: number; content: string; hash: string; mac: string | null }>()((db, entry) =>
  db.insertInto('audit_entry').values({ seq: entry.seq, content: entry.content, hash: entry.hash, mac: entry.mac }),
);

const advance = statement<{ count: number }>()((db, { count }) =>
  db
    .updateTable('audit_head')
    .set((eb) => ({ seq: eb('seq', '+', count) }))
    .returning(['seq', 'hash', 'mac']),
);

const seal = statement<{ hash: string; mac: string }>()((db, { hash, mac }) =>
  db.updateTable('audit_head').set({ hash, mac }),
);

const write = statement<{ seq: number; hash: string; mac: string }>()((db, { seq, hash, mac }) =>
  db.updateTable('audit_head').set({ seq, hash, mac }),
);

const head = statement()((db) => db.selectFrom('audit_head').select(['seq', 'hash', 'mac']));

const after = statement<{ seq: number; limit: number }>()((db, { seq, limit }) =>
  db
    .selectFrom('audit_entry')
    .select(['seq', 'content', 'hash', 'mac'])
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit),
);

const before = statement<{ seq: number; limit: number }>()((db, { seq, limit }) =>
  db
    .selectFrom('audit_entry')
    .select(['seq', 'content', 'hash', 'mac'])
    .where('seq', '<', seq)
    .orderBy('seq', 'desc')
    .limit(limit),
);

/** Around the head once it was advanced: the entry before the new ones, the one that has the first new number, and another. */
const near = statement<{ count: number; seen: number }>()((db, { count, seen }) =>
  db
    .selectFrom('audit_entry')
    .select(['seq', 'content', 'hash', 'mac'])
    .where((eb) => {
      const before = db.selectFrom('audit_head').select((head) => head('seq', '-', count).as('seq'));
      const next = db.selectFrom('audit_head').select((head) => head(head('seq', '-', count), '+', 1).as('seq'));
      return eb.or([eb('seq', '=', before), eb('seq', '=', next), eb('seq', '=', seen)]);
    }),
);

/** Settles when the entry is written; the next one may be given before that. */
export function insertEntry(executor: Executor, { seq, content, hash, mac }: StoredEntry): MaybePromise<unknown> {
  return executor.all(insert, { seq, content, hash, mac });
}

/**
 * The entries around the end of the trail, once `advanceHead` has moved that: the last one, and one behind it that should
 * not be there.
 *
 * @param seen the number of another entry that is wanted
 */
export function selectNear(executor: Executor, count: number, seen: number): MaybePromise<StoredEntry[]> {
  return executor.all(near, { count, seen });
}

/** Puts the end of the trail somewhere. */
export async function writeHead(executor: Executor, { seq, hash, mac }: StoredHead): Promise<void> {
  await executor.all(write, { seq, hash, mac });
}

/**
 * Takes the next numbers, and with them the lock on the head until the transaction ends.
 *
 * @returns the last of the numbers, with the hash and the seal of the entry before the first of them
 */
export async function advanceHead(executor: Executor, count: number): Promise<StoredHead> {
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
