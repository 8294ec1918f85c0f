import { createHash, randomBytes } from 'node:crypto';
import { closeSync, createReadStream, existsSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { publishFile } from '../data/publish-file.ts';
import { inspectSnapshot, removeSnapshot, takeSnapshot } from '../store/sqlite/snapshot.ts';

/** A backup that was written and checked. */
export interface Backup {
  readonly file: string;
  readonly takenAt: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The key of the store, which is not in the backup; undefined if it comes from the environment. */
  readonly keyFile: string | undefined;
}

export class BackupError extends Error {
  override name = 'BackupError';
  readonly code: 'ERR_BACKUP_NO_STORE' | 'ERR_BACKUP_EXISTS' | 'ERR_BACKUP_NO_FOLDER';
  constructor(code: BackupError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Copies the embedded store of a data folder, even while a service runs on it, into one file that only its owner can read. The
 * file gets its name only once it is complete, checked and on disk.
 *
 * @throws BackupError, StoreUnavailableError; Node's own if the file cannot be written
 */
export async function backupStore({ dataDir, out }: { dataDir: string; out: string }): Promise<Backup> {
  const store = path.join(dataDir, 'rolecall.db');
  if (!existsSync(store)) throw new BackupError('ERR_BACKUP_NO_STORE', `there is no store in ${dataDir}`);
  if (existsSync(out)) throw taken(out);
  const folder = path.dirname(out);
  if (!existsSync(folder)) {
    throw new BackupError('ERR_BACKUP_NO_FOLDER', `there is no folder ${folder}: make it, or correct --out`);
  }
  const takenAt = new Date().toISOString();
  // Beside the file, so that a rename completes it.
  const draft = `${out}.${randomBytes(6).toString('hex')}.part`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    takeSnapshot(store, draft, takenAt);
    inspectSnapshot(draft, out);
    const sha256 = await digest(draft);
    const bytes = statSync(draft).size;
    publish(draft, out);
    const keyFile = path.join(dataDir, 'store.key');
    return { file: out, takenAt, bytes, sha256, keyFile: existsSync(keyFile) ? keyFile : undefined };
  } finally {
    removeSnapshot(draft);
  }
}

function publish(draft: string, out: string): void {
  try {
    publishFile(draft, out);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw taken(out);
    throw error;
  }
}

function taken(out: string): BackupError {
  return new BackupError('ERR_BACKUP_EXISTS', `${out} exists, and is not overwritten: choose another name`);
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
