import { Option } from 'commander';

/** Options for the place of the store; `storePlace` makes one place of them. */
export interface StoreOptions {
  data?: string;
  databaseUrl?: string;
}

/** `--data` has no default: a new store in the wrong folder looks like a store that has lost its data. */
export function folderOption(): Option {
  return new Option('--data <dir>', "the service's data folder (or set ROLECALL_DATA)");
}

/** `--database-url`. */
export function databaseUrlOption(): Option {
  return new Option(
    '--database-url <url>',
    'the PostgreSQL database of the store, which replicas share: postgresql://user:password@host/database (or set ' +
      'ROLECALL_DATABASE_URL, which no list of processes shows)',
  );
}
