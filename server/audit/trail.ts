import type { KeyObject } from 'node:crypto';
import { deriveKey } from '../secrets/store-key.ts';
import { advanceHead, insertEntry, sealHead } from '../store/audit.ts';
import type { AppendEntries, MaybePromise } from '../store/store.ts';
import { chainHash, headMac } from './chain.ts';

/** Writes the audit trail, in the transactions of the changes. */
export interface Trail {
  readonly append: AppendEntries;
  /** The key is in hand only after the store was opened; nothing can be appended before. */
  useKey(storeKey: KeyObject): void;
}

export function headKey(storeKey: KeyObject): KeyObject {
  return deriveKey(storeKey, 'audit head');
}

export function createTrail(): Trail {
  let key: KeyObject | undefined;
  return {
    useKey: (storeKey) => {
      key = headKey(storeKey);
    },
    append: async (executor, drafts) => {
      if (key === undefined) throw new Error('the audit trail has no key yet');
      // Taking the numbers locks the head: of several replicas, one at a time appends, and commits before the next.
      const last = await advanceHead(executor, drafts.length);
      let { hash } = last;
      let seq = last.seq - drafts.length;
      const written: MaybePromise<unknown>[] = [];
      for (const draft of drafts) {
        seq += 1;
        const content = JSON.stringify({ seq, ...draft });
        hash = chainHash(hash, content);
        written.push(insertEntry(executor, { seq, content, hash }));
      }
      written.push(sealHead(executor, { hash, mac: headMac(key, { seq, hash }) }));
      // Not one after the other: PostgreSQL takes them in their order without a round trip for each.
      await Promise.all(written);
    },
  };
}
