import { chmodSync, constants, copyFileSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { lockDataFolder, prepareDataFolder } from '../data/data-folder.ts';
import { OwnKeyFile } from '../data/key-file.ts';
import { withData } from '../data/open-data.ts';
import { publishFile } from '../data/publish-file.ts';
import { type Environment, fileSource, givenKeySource, type KeySource } from '../secrets/key-source.ts';
import { findStoreKey } from '../secrets/store-key.ts';
import { isIntact, selectKeys } from '../store/api-key.ts';
import { StoreKeyError, StoreVersionError } from '../store/errors.ts';
import { migrations } from '../store/migrations/index.ts';
import { inspectSnapshot, removeSnapshot, type SnapshotInfo, unmarkSnapshot } from '../store/sqlite/snapshot.ts';

/** A store that was made of a backup. */
export interface Restored {
  readonly dataDir: string;
  /** Time of the backup. */
  readonly takenAt: string;
  /** Number of API keys that are valid again, those that were revoked since then among them. */
  readonly validKeys: number;
}

export class RestoreError extends Error {
  override name = 'RestoreError';
  readonly code: 'ERR_RESTORE_NO_FILE' | 'ERR_RESTORE_NOT_EMPTY' | 'ERR_RESTORE_NO_BACKUP';
  constructor(code: RestoreError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface RestoreOptions {
  readonly file: string;
  readonly dataDir: string;
  /** Has the key of the store, which then becomes the key of the new folder; default: the environment, or the folder. */
  readonly keyFile?: string | undefined;
  readonly environment?: Environment | undefined;
}

/** Files that a folder may have when a backup is restored into it. */
const harmless = new Set(['store.key', 'service.lock', 'rekey.lock', 'lost+found']);

/**
 * Makes the store of a data folder of a backup. Nothing is in the folder unless all is well: the backup whole, of a version
 * that this program knows, and its key at hand.
 *
 * @throws RestoreError, StoreKeyError, StoreVersionError, StoreLockedError, StoreUnavailableError
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  const { file, dataDir } = options;
  if (!existsSync(file)) throw new RestoreError('ERR_RESTORE_NO_FILE', `there is no file ${file}`);
  failUnlessEmpty(dataDir);
  prepareDataFolder(dataDir);
  const unlock = lockDataFolder(dataDir);
  const draft = path.join(dataDir, 'rolecall.db.part');
  try {
    copyFileSync(file, draft, constants.COPYFILE_EXCL);
    chmodSync(draft, 0o600);
    const info = checkBackup(file, draft);
    await takeKey(options, info);
    unmarkSnapshot(draft);
    publishFile(draft, path.join(dataDir, 'rolecall.db'));
    const keys = await withData({ dataDir, environment: keyEnvironment(options) }, async ({ store, seal }) => {
      const all = await store.read(selectKeys);
      return all.filter((key) => isIntact(seal, key));
    });
    const now = new Date().toISOString();
    const valid = keys.filter((key) => key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now));
    return { dataDir, takenAt: info.takenAt, validKeys: valid.length };
  } finally {
    removeSnapshot(draft);
    unlock();
  }
}

function failUnlessEmpty(dataDir: string): void {
  const [entry] = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => !harmless.has(name)) : [];
  if (entry === undefined) return;
  const remedy = 'move what is there away, or name a folder that is empty or not there yet';
  throw new RestoreError('ERR_RESTORE_NOT_EMPTY', `${dataDir} is not empty (${entry}): ${remedy}`);
}

function checkBackup(file: string, draft: string): SnapshotInfo & { takenAt: string } {
  const info = inspectSnapshot(draft, file);
  const { takenAt, version } = info;
  if (takenAt === undefined) {
    const reason = 'a store that was copied while it was in use may lack its last changes';
    throw new RestoreError('ERR_RESTORE_NO_BACKUP', `${file} was not made by rolecall backup: ${reason}`);
  }
  if (version > migrations.length) {
    throw new StoreVersionError(
      `a newer Rolecall made ${file} (version ${version}; this program knows up to ${migrations.length}): use that one`,
    );
  }
  return { ...info, takenAt };
}

/** Checks that the key belongs to the backup, and puts it into the folder where it was given by name. */
async function takeKey(
  { file, dataDir, keyFile, environment = process.env }: RestoreOptions,
  { keyCheck }: SnapshotInfo,
): Promise<void> {
  const defaultFile = path.join(dataDir, 'store.key');
  const key = findStoreKey(await keySource(defaultFile, keyFile, environment).read(), keyCheck);
  if (key === undefined) {
    throw new StoreKeyError(
      `${keyFile ?? 'the key'} is not the one that the store in ${file} had then. A backup from before "rolecall store rekey" needs the key from before`,
    );
  }
  if (keyFile === undefined) return;
  const ownFile = new OwnKeyFile(dataDir);
  if (!existsSync(defaultFile)) {
    ownFile.write([key]);
  } else if (findStoreKey(await ownFile.read(), keyCheck) === undefined) {
    throw new StoreKeyError(`${defaultFile} is another key than ${keyFile}: move it away`);
  }
}

/** A key that was given by name comes before those of the environment. */
function keySource(defaultFile: string, keyFile: string | undefined, environment: Environment): KeySource {
  if (keyFile !== undefined) return fileSource(keyFile, `there is no file ${keyFile}: correct --key-file`);
  const missing = `${defaultFile} is missing, and without the key of the store its secrets cannot be read: name the file that has it with --key-file, or set ROLECALL_STORE_KEY`;
  return givenKeySource(environment) ?? fileSource(defaultFile, missing);
}

function keyEnvironment({ keyFile, environment = process.env }: Pick<RestoreOptions, 'keyFile' | 'environment'>) {
  return keyFile === undefined ? environment : { ROLECALL_STORE_KEY_FILE: keyFile };
}
