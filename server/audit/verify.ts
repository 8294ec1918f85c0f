import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { findHead, type StoredEntry, type StoredHead, selectEntriesAfter } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { chainHash, firstHash, headMac } from './chain.ts';

/** What became of a check of the whole trail. */
export interface Verification {
  /** How many entries fit, from the first on. */
  readonly entries: number;
  /** The hash of the last of them: kept elsewhere, it proves later that nothing before it was touched. */
  readonly head: string;
  /** Where the trail is broken first; absent where it is whole. */
  readonly broken?: { readonly seq: number; readonly problem: string };
}

const page = 1000;

/**
 * Checks the chain of a trail from its first entry to its last, and its last against the head. The service may write
 * meanwhile: what it adds is checked too.
 *
 * @param key that heads are sealed with
 */
export async function verifyTrail({ read }: Pick<Store, 'read'>, key: KeyObject): Promise<Verification> {
  let last = { seq: 0, hash: firstHash };
  for (;;) {
    const from = last.seq;
    // The head first: what it speaks of is there by then, whatever is added in between.
    const head = await read(findHead);
    const entries = await read((executor) => selectEntriesAfter(executor, from, page));
    for (const entry of entries) {
      const problem = entryProblem(entry, last);
      if (problem !== undefined) return { entries: last.seq, head: last.hash, broken: { seq: last.seq + 1, problem } };
      last = entry;
    }
    if (entries.length > 0) continue;
    const found = { entries: last.seq, head: last.hash };
    const broken = headProblem(head, last, key);
    return broken === undefined ? found : { ...found, broken };
  }
}

function entryProblem({ seq, content, hash }: StoredEntry, last: { seq: number; hash: string }): string | undefined {
  if (seq !== last.seq + 1) return `is missing: entry ${last.seq} is followed by entry ${seq}`;
  if (chainHash(last.hash, content) !== hash) return 'was changed, or does not belong behind the entry before it';
  if (numberIn(content) !== seq) return 'has another number in its content';
  return undefined;
}

function numberIn(content: string): unknown {
  try {
    const entry: unknown = JSON.parse(content);
    return typeof entry === 'object' && entry !== null && 'seq' in entry ? entry.seq : undefined;
  } catch {
    return undefined;
  }
}

function headProblem(head: StoredHead, last: { seq: number; hash: string }, key: KeyObject): Verification['broken'] {
  const { seq } = last;
  if (head.seq > seq) return { seq: seq + 1, problem: `is missing: the trail went on to entry ${head.seq}` };
  if (head.seq < seq) return { seq: head.seq + 1, problem: 'was added behind the end of the trail' };
  const sealed = head.seq === 0 || sameText(head.mac, headMac(key, head));
  if (head.hash === last.hash && sealed) return undefined;
  return { seq, problem: 'is not the end that the service has sealed: the trail was written anew, up to here' };
}

function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
