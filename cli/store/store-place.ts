import { resolve } from 'node:path';
import { redactConnectionUri } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import type { StoreOptions } from '../options/store-options.ts';
import { shellWord } from '../output/words.ts';
import { type Environment, variable } from '../process/io.ts';
import { failUnlessStore } from './data-folder.ts';

/** Place of a command's store. */
export type StorePlace =
  | { readonly dataDir: string; readonly databaseUrl?: undefined }
  | { readonly dataDir?: undefined; readonly databaseUrl: string };

/**
 * Finds the store to work on. Options win over the environment.
 *
 * @throws CliError where none is named, or two
 */
export function storePlace(env: Environment, { data, databaseUrl }: StoreOptions): StorePlace {
  const named = onePlace(data, databaseUrl, '--data and --database-url');
  if (named !== undefined) return named;
  const [folder, url] = [variable(env, 'ROLECALL_DATA'), variable(env, 'ROLECALL_DATABASE_URL')];
  const set = onePlace(folder, url, 'ROLECALL_DATA and ROLECALL_DATABASE_URL');
  if (set !== undefined) return set;
  throw new CliError(
    'ERR_STORE_LOCATION',
    'the store is missing: give --data DIR for a folder, or --database-url postgresql://… for a database',
  );
}

/** The folder of a store, for a command that works on a folder only. @throws CliError where none is named */
export function storeFolder(env: Environment, { data }: Pick<StoreOptions, 'data'>): string {
  const folder = data ?? variable(env, 'ROLECALL_DATA');
  if (folder !== undefined && folder !== '') return folder;
  throw new CliError('ERR_STORE_LOCATION', 'the store is missing: give --data DIR, or set ROLECALL_DATA');
}

/** The same as `storePlace`, for a command that must not make a store: in a folder it has to be there already. */
export function existingPlace(env: Environment, options: StoreOptions): StorePlace {
  const place = storePlace(env, options);
  if (place.dataDir !== undefined) failUnlessStore(place.dataDir);
  return place;
}

/** The place for messages, without a password. */
export function describePlace({ dataDir, databaseUrl }: StorePlace): string {
  return visible(dataDir === undefined ? redactConnectionUri(databaseUrl) : resolve(dataDir));
}

/** The options by which another command finds the same place; a URL is left to the environment. */
export function placeOptions({ dataDir }: StorePlace): string {
  return dataDir === undefined ? '--database-url "$ROLECALL_DATABASE_URL"' : `--data ${shellWord(resolve(dataDir))}`;
}

function onePlace(dataDir: string | undefined, databaseUrl: string | undefined, both: string): StorePlace | undefined {
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new CliError('ERR_STORE_LOCATION', `${both} name two stores: leave one out`);
  }
  if (dataDir !== undefined) return { dataDir };
  return databaseUrl === undefined ? undefined : { databaseUrl };
}
