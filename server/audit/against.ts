import { open } from 'node:fs/promises';
import { type StoredEntry, selectEntriesAfter } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { entryLine } from './read.ts';

/** The result of comparing a trail with a sink's file. */
export interface Comparison {
  /** Lines of the file that are identical to entries of the store. */
  readonly same: number;
  /** Lines that are not entries: left by a killed process, or written by something else. */
  readonly unreadable: number;
  /** The first line that differs in the store, or is missing there. */
  readonly different?: { readonly line: number; readonly problem: string };
}

const page = 1000;

/** Compares the lines of a sink's file with the store: one entry each, with or without a syslog header. */
export async function compareWithFile(store: Pick<Store, 'read'>, path: string): Promise<Comparison> {
  await using file = await open(path);
  let entries: StoredEntry[] = [];
  let [same, unreadable, line] = [0, 0, 0];
  for await (const text of file.readLines()) {
    line += 1;
    const json = text.slice(Math.max(0, text.indexOf('{')));
    const seq = numberIn(json);
    if (seq === undefined) {
      unreadable += 1;
      continue;
    }
    // The lines are mostly in order, so that one page serves many.
    const first = entries[0]?.seq ?? Number.POSITIVE_INFINITY;
    if (seq < first || seq >= first + entries.length) {
      entries = await store.read((executor) => selectEntriesAfter(executor, { seq: seq - 1, limit: page }));
    }
    const stored = entries.find((entry) => entry.seq === seq);
    const problem =
      stored === undefined ? `entry ${seq} is not in the store` : `entry ${seq} is another one in the store`;
    if (stored === undefined || entryLine(stored) !== json) return { same, unreadable, different: { line, problem } };
    same += 1;
  }
  return { same, unreadable };
}

function numberIn(json: string): number | undefined {
  try {
    const entry: unknown = JSON.parse(json);
    const seq = typeof entry === 'object' && entry !== null && 'seq' in entry ? entry.seq : undefined;
    return typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : undefined;
  } catch {
    return undefined;
  }
}
