import type pg from 'pg';
import type { EntryDraft } from '../../audit/entry.ts';
import { bumpCollectionVersions } from '../collection-version.ts';
import type { StoreUnavailableError } from '../errors.ts';
import type { AppendEntries, Collection, Executor } from '../store.ts';
import { createWriteQueue, type Queued, type WriteQueue } from '../write-queue.ts';
import { isSessionLost, type UniqueColumns } from './errors.ts';
import { createExecutor, type Send, type StatementNames } from './executor.ts';
import { writeTransaction } from './write-transaction.ts';

export interface WriterParts {
  /** A single pipelining connection, so that some statements need no waiting. */
  readonly pool: pg.Pool;
  readonly names: StatementNames;
  readonly columns: UniqueColumns;
  /** Writes the audit trail, once for each group. */
  readonly append: AppendEntries;
  /** Called after each commit, before any answer, with the number of writes in the group. */
  readonly committed: (writes: number) => void;
}

type Answer = () => void;

/**
 * Runs the writes that arrive while an earlier one is being committed, here or at another replica, as one transaction. Where
 * there are several, each has its own savepoint, so a failed write undoes only itself. None is answered before the commit.
 */
export function createWriter(parts: WriterParts): WriteQueue {
  return createWriteQueue((take) => runGroup(parts, take));
}

async function runGroup(parts: WriterParts, take: () => readonly Queued[]): Promise<void> {
  let group: readonly Queued[] | undefined;
  const attempt = (): Promise<Answer[]> =>
    writeTransaction(parts.pool, parts.columns, (send) => {
      // Only now, so that writes that arrived while waiting for the lock belong to this group.
      group ??= take();
      return runWrites(group, send, createExecutor(send, parts.names), parts.append);
    });
  try {
    // A connection that was lost since its last use is no reason to fail; its work was rolled back.
    const answers = await attempt().catch((error: unknown) => {
      if (!isSessionLost(error) || (error as StoreUnavailableError).maybeStored) throw error;
      return attempt();
    });
    parts.committed(group?.length ?? 0);
    for (const answer of answers) answer();
  } catch (error) {
    for (const { reject } of group ?? take()) reject(error);
  }
}

/** Work that the writes of a group leave to be done once, for all of them. */
interface Left {
  readonly changed: Set<Collection>;
  readonly entries: EntryDraft[];
}

async function runWrites(
  group: readonly Queued[],
  send: Send,
  executor: Executor,
  append: AppendEntries,
): Promise<Answer[]> {
  const left: Left = { changed: new Set(), entries: [] };
  const answers: Answer[] = [];
  // One alone needs no savepoint: if it fails, so does the transaction, which has nothing else.
  const run = group.length === 1 ? runWrite : apart(send);
  for (const write of group) answers.push(await run(write, executor, left));
  await bumpCollectionVersions(executor, left.changed);
  if (left.entries.length > 0) answers.unshift(await append(executor, left.entries));
  return answers;
}

async function runWrite({ changes, work, resolve }: Queued, executor: Executor, left: Left): Promise<Answer> {
  const recorded: EntryDraft[] = [];
  const value = await work(executor, (entry) => {
    recorded.push(entry);
  });
  left.entries.push(...recorded);
  for (const collection of changes) left.changed.add(collection);
  return () => {
    resolve(value);
  };
}

function apart(send: Send): typeof runWrite {
  return async (write, executor, left) => {
    begin(send, 'SAVEPOINT one_write');
    try {
      const answer = await runWrite(write, executor, left);
      begin(send, 'RELEASE one_write');
      return answer;
    } catch (error) {
      if (isSessionLost(error)) throw error;
      await send({ text: 'ROLLBACK TO one_write; RELEASE one_write' });
      return () => {
        write.reject(error);
      };
    }
  };
}

/** Not awaited: if it fails, so does everything after it, including the commit. */
function begin(send: Send, text: string): void {
  send({ text }).catch(() => undefined);
}
