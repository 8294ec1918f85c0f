import { type DataLocation, withData } from '../data/open-data.ts';
import type { KeySet } from '../data/unlock-store.ts';
import { findHead } from '../store/audit.ts';
import { type Comparison, compareWithFile } from './against.ts';
import { sameText, sealOf } from './chain.ts';
import { commandLineEntry } from './command-line.ts';
import type { Change } from './entry.ts';
import { type EntryQuery, type ListedEntry, readEntries, storedEntries } from './read.ts';
import { type Link, resumeTrail } from './trail.ts';
import { type Verification, verifyTrail } from './verify.ts';

/** The newest matching entries of the audit trail, oldest first. @throws what `openData` throws */
export async function listAudit({ query, ...where }: DataLocation & { query: EntryQuery }): Promise<ListedEntry[]> {
  return withData(where, ({ store }) => readEntries(storedEntries(store), query));
}

/**
 * A number and a hash that the trail had at some time, to be kept elsewhere. The MAC proves that this store's service made
 * it; without a MAC, its keeper vouches for it.
 */
export interface Checkpoint extends Link {
  readonly mac?: string | undefined;
}

export class CheckpointError extends Error {
  override name = 'CheckpointError';
  readonly code = 'ERR_CHECKPOINT';
}

/**
 * Checks the whole audit trail, and that the entry of a checkpoint is still in it.
 *
 * @throws CheckpointError for one that another store made, or that was changed; what `openData` throws
 */
export async function verifyAudit({
  checkpoint,
  ...where
}: DataLocation & { checkpoint?: Checkpoint | undefined }): Promise<Verification> {
  return withData(where, async ({ store, keys }) => {
    if (checkpoint?.mac !== undefined && !isOwnCheckpoint(keys.current, checkpoint, checkpoint.mac)) {
      throw new CheckpointError(
        'the checkpoint is not one that this store has made: it was changed, or is of another store',
      );
    }
    return keys.underOneKey(({ trail }) => verifyTrail(store, trail, checkpoint));
  });
}

/** A checkpoint from before the store's key was changed counts for the entries until then only. */
function isOwnCheckpoint({ checkpoints }: KeySet, link: Link, mac: string): boolean {
  return checkpoints.some(({ key, until = Infinity }) => link.seq <= until && sameText(mac, sealOf(key, link)));
}

/**
 * The end of the trail, to be kept out of reach of anyone who can write to the store.
 *
 * @returns with it, what a check of the whole trail found: a broken one has no checkpoint
 */
export async function makeCheckpoint(
  where: DataLocation,
): Promise<{ verification: Verification; checkpoint: Required<Checkpoint> | undefined }> {
  return withData(where, async ({ store, keys }) => {
    const verification = await keys.underOneKey(({ trail }) => verifyTrail(store, trail));
    const newest = keys.current.checkpoints.at(-1);
    if (verification.broken !== undefined || newest === undefined) return { verification, checkpoint: undefined };
    const link = { seq: verification.entries, hash: verification.head };
    return { verification, checkpoint: { ...link, mac: sealOf(newest.key, link) } };
  });
}

/**
 * Lets a trail that was changed in the database go on from where it is. What is there by then is not vouched for; the entry
 * that follows says why, and what was found.
 */
export async function resumeAudit({ reason, ...where }: DataLocation & { reason: string }): Promise<Verification> {
  return withData(where, async ({ store, keys }) => {
    const verification = await keys.underOneKey(({ trail }) => verifyTrail(store, trail));
    await store.write([], async (executor, record) => {
      const { seq = null } = (await findHead(executor)) ?? {};
      const { seq: resumedAfter } = await resumeTrail(executor, keys.current.trail);
      const broken =
        verification.broken === undefined ? null : `entry ${verification.broken.seq} ${verification.broken.problem}`;
      const after = { reason, broken, endedAt: seq, resumedAfter };
      const change: Change = { kind: 'audit_trail', id: 'audit_trail', action: 'changed', after };
      record(commandLineEntry('audit resume', [change]));
    });
    return verification;
  });
}

/** Compares the audit trail with the file of a sink. @throws what `openData` throws; Node's own for the file */
export async function compareAudit({ file, ...where }: DataLocation & { file: string }): Promise<Comparison> {
  return withData(where, ({ store }) => compareWithFile(store, file));
}
