import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Rules for the files that may be SQLite data sources. */
export interface FileRules {
  /** The service's own folder: nothing in it may be a data source. */
  ownFolder?: string;
  /** Folders that data sources may be in. Default: none. */
  folders?: readonly string[];
}

const ownFile = "is in the service's own data folder, or leads there: a data source cannot be the service's store";
/** One message for all cases: different ones would reveal which files and folders exist. */
const outside =
  "is in none of the folders that this service's operator gives data sources with --sqlite-folder, or cannot be reached";

/** Files of the store's own that a hard link elsewhere could name. */
const ownFiles = ['rolecall.db', 'rolecall.db-wal', 'rolecall.db-shm', 'store.key', 'service.lock'];

/** The target of a path, after every symbolic link and `..` in it. */
export interface Found {
  /** Without links. Missing parts keep their names. */
  file: string;
  /** Why it may not be a data source. */
  refusal?: string;
}

/**
 * Follows a path and checks its target. Folders and files are compared by identity, not by name, so that links, mounts and other
 * spellings make no difference.
 */
export async function findFile(file: string, rules: FileRules): Promise<Found> {
  try {
    return await check(await follow(path.resolve(file)), rules);
  } catch {
    // No permission (EACCES), a circle of links (ELOOP), a name that is too long.
    return { file, refusal: outside };
  }
}

async function check(real: string, { ownFolder, folders = [] }: FileRules): Promise<Found> {
  const above = ancestors(real);
  const ids = await Promise.all(above.map(identify));
  const isBelow = async (folder: string): Promise<boolean> => {
    const id = await identify(folder);
    // A missing folder can only be compared by its name.
    return id === undefined ? above.includes(path.resolve(folder)) : ids.includes(id);
  };
  const below = await Promise.all(folders.map(isBelow));
  if (!below.includes(true)) return { file: real, refusal: outside };
  if (ownFolder !== undefined) {
    const identities = await Promise.all(ownFiles.map((name) => identify(path.join(ownFolder, name))));
    const itself = await identify(real);
    if ((itself !== undefined && identities.includes(itself)) || (await isBelow(ownFolder))) {
      return { file: real, refusal: ownFile };
    }
  }
  return { file: real };
}

/** The real path of the part that exists, followed by the rest. */
async function follow(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const parent = path.dirname(file);
    if (parent === file || !isMissing(error)) throw error;
    return path.join(await follow(parent), path.basename(file));
  }
}

function ancestors(file: string): string[] {
  const parent = path.dirname(file);
  return parent === file ? [] : [parent, ...ancestors(parent)];
}

async function identify(file: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
