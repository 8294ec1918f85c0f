import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ResultId } from '../spool.ts';

/** Bytes of an index entry: the end of a row's JSON, as an unsigned integer, little-endian. */
export const entryBytes = 8;

/** The files of a result: the JSON of its rows with a comma between two rows, and the index of their ends. */
export interface SpoolFiles {
  rows: string;
  index: string;
}

/** Names the files of a result. @param root the folder of all queries' rows */
export function spoolFiles(root: string, { query, ordinal }: ResultId): SpoolFiles {
  const base = path.join(root, query, String(ordinal));
  return { rows: `${base}.rows`, index: `${base}.index` };
}

/** Removes the rows of a query, if it has any. Readers that have begun can finish. */
export async function removeSpool(root: string, query: string): Promise<void> {
  await rm(path.join(root, query), { recursive: true, force: true });
}

/** The queries that have rows. */
export async function listSpools(root: string): Promise<string[]> {
  return ignoreMissing(readdir(root), []);
}

/** Counts the rows of a spool. A killed process may leave rows that are not in the index yet. */
export async function countSpooledRows(files: SpoolFiles): Promise<number> {
  const size = await ignoreMissing(
    stat(files.index).then((stats) => stats.size),
    0,
  );
  return Math.floor(size / entryBytes);
}

async function ignoreMissing<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise;
    throw error;
  }
}
