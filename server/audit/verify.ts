import { findHead, type StoredEntry, type StoredHead, selectEntriesAfter } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { chainHash, sameText, sealOf } from './chain.ts';
import { type Link, readBounds, type TrailBounds, type TrailKeys } from './trail.ts';

/** The result of checking the whole trail. */
export interface Verification {
  /** Number of valid entries, from the first on. */
  readonly entries: number;
  /** The hash of the last valid entry. Kept elsewhere, it proves later that nothing before it was changed. */
  readonly head: string;
  /**
   * Entries up to this number are not vouched for, because the trail was resumed behind them; 0 if there were none. Absent if it never
   * was.
   */
  readonly resumedAfter?: number;
  /** The first break of the trail; absent if it is whole. */
  readonly broken?: { readonly seq: number; readonly problem: string };
}

const page = 1000;

/**
 * Checks the chain of a trail from the first entry to the last, and the last against the head. The service may write
 * meanwhile: new entries are checked too.
 *
 * @param checkpoint an entry that was in the trail at some time
 */
export async function verifyTrail(
  store: Pick<Store, 'read'>,
  keys: TrailKeys,
  checkpoint?: Link,
): Promise<Verification> {
  const bounds = await store.read((executor) => readBounds(executor, keys));
  const verification = await verifyChain(store, keys, bounds);
  const { seq } = bounds.startsAfter;
  const resumed = seq === 0 && bounds.isResumed === undefined ? {} : { resumedAfter: seq };
  if (checkpoint === undefined || verification.broken !== undefined) return { ...verification, ...resumed };
  const [entry] = await store.read((executor) => selectEntriesAfter(executor, { seq: checkpoint.seq - 1, limit: 1 }));
  if (entry?.seq === checkpoint.seq && entry.hash === checkpoint.hash) return { ...verification, ...resumed };
  const problem = 'is not the one of the checkpoint: the trail was cut off before it, or written anew';
  return { ...verification, ...resumed, broken: { seq: checkpoint.seq, problem } };
}

async function verifyChain(
  { read }: Pick<Store, 'read'>,
  keys: TrailKeys,
  { startsAfter, sealedAfter }: TrailBounds,
): Promise<Verification> {
  let last = startsAfter;
  for (;;) {
    const from = last.seq;
    // The head first: the entries it covers then exist, whatever is added in between.
    const head = await read(findHead);
    const entries = await read((executor) => selectEntriesAfter(executor, { seq: from, limit: page }));
    for (const entry of entries) {
      const problem = entryProblem(entry, last) ?? sealProblem(entry, keys, sealedAfter);
      if (problem !== undefined) return { entries: last.seq, head: last.hash, broken: { seq: last.seq + 1, problem } };
      last = entry;
    }
    if (entries.length > 0) continue;
    const result = { entries: last.seq, head: last.hash };
    const broken = headProblem(head, last, keys, startsAfter);
    return broken === undefined ? result : { ...result, broken };
  }
}

function entryProblem({ seq, content, hash }: StoredEntry, last: { seq: number; hash: string }): string | undefined {
  if (seq !== last.seq + 1) return `is missing: entry ${last.seq} is followed by entry ${seq}`;
  if (chainHash(last.hash, content) !== hash) return 'was changed, or does not belong behind the entry before it';
  if (numberIn(content) !== seq) return 'has another number in its content';
  return undefined;
}

function sealProblem({ seq, hash, mac }: StoredEntry, keys: TrailKeys, sealedAfter: number): string | undefined {
  if (seq <= sealedAfter || (mac !== null && sameText(mac, sealOf(keys.entry, { seq, hash })))) return undefined;
  return 'is not sealed with the key of the store: the entry was written without it';
}

function numberIn(content: string): unknown {
  try {
    const entry: unknown = JSON.parse(content);
    return typeof entry === 'object' && entry !== null && 'seq' in entry ? entry.seq : undefined;
  } catch {
    return undefined;
  }
}

function headProblem(
  head: StoredHead | undefined,
  last: Link,
  keys: TrailKeys,
  startsAfter: Link,
): Verification['broken'] {
  const { seq } = last;
  if (seq === startsAfter.seq) return { seq: seq + 1, problem: `is missing: ${describeEmpty(head, startsAfter)}` };
  if (head === undefined) return { seq: seq + 1, problem: 'may be missing: the end of the trail was deleted' };
  if (head.seq > seq) return { seq: seq + 1, problem: `is missing: the trail went on to entry ${head.seq}` };
  if (head.seq < seq) return { seq: head.seq + 1, problem: 'was added behind the end of the trail' };
  const sealed = sameText(head.mac, sealOf(keys.head, head));
  if (head.hash === last.hash && sealed) return undefined;
  return { seq, problem: 'is not the end that the service has sealed: the trail was written anew, up to here' };
}

/** Describes a trail without any entry that its guarantees cover; a new store has one already, and resuming a trail writes one. */
function describeEmpty(head: StoredHead | undefined, { seq }: Link): string {
  const what = seq === 0 ? 'the trail was emptied' : `the trail was emptied behind entry ${seq}, where it was resumed`;
  if (head === undefined) return `${what}, and its end deleted`;
  return head.seq > seq ? `${what}; it went on to entry ${head.seq}` : `${what}, and its end set back`;
}
