import { type Comparison, compareWithFile } from './audit/against.ts';
import { type EntryQuery, type ListedEntry, readEntries } from './audit/read.ts';
import { type Verification, verifyTrail } from './audit/verify.ts';
import { type DataLocation, withData } from './open-data.ts';

/** The newest entries of the audit trail that are wanted, oldest first. @throws what `openData` throws */
export async function listAudit({ query, ...where }: DataLocation & { query: EntryQuery }): Promise<ListedEntry[]> {
  return withData(where, ({ store }) => readEntries(store, query));
}

/** Checks the whole audit trail. @throws what `openData` throws */
export async function verifyAudit(where: DataLocation): Promise<Verification> {
  return withData(where, ({ store, headKey }) => verifyTrail(store, headKey));
}

/** Compares the audit trail with the file of a sink. @throws what `openData` throws; Node's own for the file */
export async function compareAudit({ file, ...where }: DataLocation & { file: string }): Promise<Comparison> {
  return withData(where, ({ store }) => compareWithFile(store, file));
}
