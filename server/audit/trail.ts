import type { KeyObject } from 'node:crypto';
import { createSeal, type Seal } from '../secrets/seal.ts';
import { deriveKey } from '../secrets/store-key.ts';
import {
  advanceHead,
  findHead,
  insertEntries,
  type StoredEntry,
  type StoredHead,
  sealHead,
  selectEntriesBefore,
  selectNear,
  writeHead,
} from '../store/audit.ts';
import { moveSink, selectSinks } from '../store/audit-sink.ts';
import { AuditTrailError } from '../store/errors.ts';
import type { AppendEntries, Executor } from '../store/store.ts';
import { readStoreMeta, writeStoreMeta } from '../store/store-meta.ts';
import { chainHash, firstHash, sameText, sealOf } from './chain.ts';
import type { EntryDraft } from './entry.ts';

/** A position in the chain: an entry's number and hash. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** The keys that seal the trail. They are derived from the store's key, and so never in the store. */
export interface TrailKeys {
  /** For the end of the trail. */
  readonly head: KeyObject;
  /** For each entry. A different key, since otherwise any entry's seal could make it the end. */
  readonly entry: KeyObject;
  /** For the bounds. */
  readonly seal: Seal;
}

export function trailKeys(storeKey: KeyObject): TrailKeys {
  return {
    head: deriveKey(storeKey, 'audit head'),
    entry: deriveKey(storeKey, 'audit entry'),
    seal: createSeal(storeKey),
  };
}

/** Bounds of the trail's guarantees. */
export interface TrailBounds {
  /** Entries after this one form an unbroken chain. */
  readonly startsAfter: Link;
  /**
   * The entries after this one are sealed one by one, with the key that the store has now. Those before are vouched for by
   * the chain, whose end is sealed.
   */
  readonly sealedAfter: number;
  /** Set if someone resumed the trail, which may have been emptied before. */
  readonly isResumed?: true;
}

const wholeTrail: TrailBounds = { startsAfter: { seq: 0, hash: firstHash }, sealedAfter: 0 };
const boundsName = 'audit_bounds';

/** @throws StoreKeyError if they were changed in the database */
export async function readBounds(executor: Executor, { seal }: TrailKeys): Promise<TrailBounds> {
  const sealed = await readStoreMeta(executor, boundsName);
  if (sealed === undefined) return wholeTrail;
  return JSON.parse(seal.open(Buffer.from(sealed, 'base64'), boundsName)) as TrailBounds;
}

async function writeBounds(executor: Executor, { seal }: TrailKeys, bounds: TrailBounds): Promise<void> {
  const sealed = seal.close(JSON.stringify(bounds), boundsName);
  await writeStoreMeta(executor, { name: boundsName, value: Buffer.from(sealed).toString('base64') });
}

/** Writes the audit trail, in the transactions of the changes. */
export class AuditTrail {
  #keys: TrailKeys | undefined;
  /** True if an empty trail must have been emptied. */
  #begun = false;
  /** The last end that this process saw committed. A store that was set back while it runs lacks it. */
  #seen: Link | undefined;
  /** Number of the entry after which the trail was resumed, as far as this process knows. */
  #startsAfter = 0;

  /** The key is in hand only after the store was opened; nothing can be appended before. Another one comes with a new key. */
  useKeys(keys: TrailKeys): void {
    this.#keys = keys;
  }

  /** From now on, a trail without entries counts as emptied. */
  begun({ startsAfter }: TrailBounds): void {
    this.#begun = true;
    this.#startsAfter = startsAfter.seq;
  }

  /**
   * Checks the end of the trail, and appends entries.
   *
   * @throws AuditTrailError if the trail does not end as the service sealed it
   */
  readonly append: AppendEntries = async (executor, drafts) => {
    const keys = this.#keys;
    if (keys === undefined) throw new Error('the audit trail has no key yet');
    // Taking the numbers locks the head: of several replicas, one at a time appends, and commits before the next. The two
    // are sent together, since PostgreSQL takes them without a round trip for each.
    const [advanced, near] = await Promise.all([
      advanceHead(executor, drafts.length),
      selectNear(executor, { count: drafts.length, seen: this.#seen?.seq ?? 0 }),
    ]);
    const head = { ...advanced, seq: advanced.seq - drafts.length };
    await this.#check(executor, keys, head, near);
    const last = await writeEntries(executor, keys, head, drafts);
    return () => {
      this.#seen = last;
    };
  };

  async #check(executor: Executor, keys: TrailKeys, head: StoredHead, near: readonly StoredEntry[]): Promise<void> {
    if (head.seq > 0 || this.#begun) {
      const problem = endProblem(head, near, keys) ?? (await sealProblem(executor, head, near, keys));
      if (problem !== undefined) throw new AuditTrailError(problem);
    }
    const seen = this.#seen;
    if (seen === undefined) return;
    const kept = seen.seq === head.seq ? head : near.find(({ seq }) => seq === seen.seq);
    if (kept?.hash === seen.hash) return;
    // An operator may have investigated and resumed the trail.
    const { startsAfter } = await readBounds(executor, keys);
    if (startsAfter.seq === this.#startsAfter) {
      throw new AuditTrailError(
        `was set back: entry ${seen.seq}, which this process has seen in it, is not there any more`,
      );
    }
    this.#startsAfter = startsAfter.seq;
  }
}

/** Why nothing may be appended to this end; undefined if it is as the service sealed it. */
function endProblem(head: StoredHead, near: readonly StoredEntry[], keys: TrailKeys): string | undefined {
  if (!sameText(head.mac, sealOf(keys.head, head))) return 'does not end with the seal of the service';
  const last = near.find(({ seq }) => seq === head.seq);
  if (head.seq > 0 && last?.hash !== head.hash) return `has lost its last entry, ${head.seq}`;
  return near.some(({ seq }) => seq > head.seq) ? 'has entries behind its end' : undefined;
}

async function sealProblem(
  executor: Executor,
  { seq }: Link,
  near: readonly StoredEntry[],
  keys: TrailKeys,
): Promise<string | undefined> {
  const last = near.find((entry) => entry.seq === seq);
  if (last === undefined || (last.mac !== null && sameText(last.mac, sealOf(keys.entry, last)))) return undefined;
  const bounds = await readBounds(executor, keys);
  if (seq <= bounds.sealedAfter) return undefined;
  if (last.mac !== null) return `has a last entry, ${seq}, that is not sealed with the key of the store`;
  // A version that seals only the end has written until here: an older replica, whose place this one takes.
  await writeBounds(executor, keys, { ...bounds, sealedAfter: seq });
  return undefined;
}

/** Characters of entries that are made and written before others have their turn. */
const mostAtOnce = 1024 * 1024;

async function writeEntries(
  executor: Executor,
  keys: TrailKeys,
  head: Link,
  drafts: readonly EntryDraft[],
): Promise<Link> {
  let { seq, hash } = head;
  let entries: StoredEntry[] = [];
  let length = 0;
  for (const draft of drafts) {
    seq += 1;
    const content = JSON.stringify({ seq, ...draft });
    hash = chainHash(hash, content);
    entries.push({ seq, content, hash, mac: sealOf(keys.entry, { seq, hash }) });
    length += content.length;
    if (length < mostAtOnce) continue;
    await insertEntries(executor, entries);
    [entries, length] = [[], 0];
  }
  await Promise.all([
    insertEntries(executor, entries),
    sealHead(executor, { hash, mac: sealOf(keys.head, { seq, hash }) }),
  ]);
  return { seq, hash };
}

/**
 * Seals a trail as it is, whatever was done to it, so that entries can follow. What is there by then is not vouched for.
 *
 * @returns the end that the trail is resumed behind
 */
export async function resumeTrail(executor: Executor, keys: TrailKeys): Promise<Link> {
  const [last] = await selectEntriesBefore(executor, { seq: Number.MAX_SAFE_INTEGER, limit: 1 });
  const end = last === undefined ? { seq: 0, hash: firstHash } : { seq: last.seq, hash: last.hash };
  await writeHead(executor, { ...end, mac: sealOf(keys.head, end) });
  await writeBounds(executor, keys, { startsAfter: end, sealedAfter: end.seq, isResumed: true });
  await resumeSinks(executor);
  return end;
}

/** A sink stops if its last entry is not in the trail. Each sink continues behind the last such entry that still is. */
async function resumeSinks(executor: Executor): Promise<void> {
  for (const { name, seq } of await selectSinks(executor)) {
    const [last] = await selectEntriesBefore(executor, { seq: seq + 1, limit: 1 });
    await moveSink(executor, { name, seq: last?.seq ?? 0, hash: last?.hash ?? firstHash });
  }
}

/**
 * Puts a trail under another key of the store: its end, its bounds, and the entry that says so. The entries until then keep
 * the seals of the key before; the chain, whose end is sealed with the new one, vouches for them.
 *
 * @returns the number of the last entry under the key before
 * @throws AuditTrailError where the trail does not end as the service sealed it: the new key must not vouch for that
 */
export async function resealTrail(
  executor: Executor,
  { from, to, entry }: { from: TrailKeys; to: TrailKeys; entry: EntryDraft },
): Promise<number> {
  const advanced = await advanceHead(executor, 1);
  const near = await selectNear(executor, { count: 1, seen: 0 });
  const head = { ...advanced, seq: advanced.seq - 1 };
  const problem = endProblem(head, near, from) ?? (await sealProblem(executor, head, near, from));
  if (problem !== undefined) throw new AuditTrailError(problem);
  await writeBounds(executor, to, { ...(await readBounds(executor, from)), sealedAfter: head.seq });
  await writeEntries(executor, to, head, [entry]);
  return head.seq;
}

/**
 * Takes over a trail from before entries were sealed one by one.
 *
 * @returns whether it was whole at its end; if not, it is resumed there
 */
export async function takeOverTrail(executor: Executor, keys: TrailKeys): Promise<boolean> {
  const head = await findHead(executor);
  const near = await selectEntriesBefore(executor, { seq: Number.MAX_SAFE_INTEGER, limit: 1 });
  const isWhole =
    head !== undefined && (head.seq === 0 ? near.length === 0 : endProblem(head, near, keys) === undefined);
  if (isWhole) await writeBounds(executor, keys, { ...wholeTrail, sealedAfter: head.seq });
  else await resumeTrail(executor, keys);
  return isWhole;
}
