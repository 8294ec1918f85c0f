/** Location of a service's store: exactly one of the two. */
export interface StoreLocation {
  /** The folder of the embedded store, which one process serves from; made if it is absent. */
  dataDir?: string | undefined;
  /** `postgresql://user:password@host:port/database`: the store in PostgreSQL, for any number of replicas. */
  databaseUrl?: string | undefined;
}

export class StoreLocationError extends Error {
  override name = 'StoreLocationError';
  readonly code = 'ERR_STORE_LOCATION';
}

export type StorePlace =
  | { readonly dataDir: string; readonly databaseUrl?: undefined }
  | { readonly dataDir?: undefined; readonly databaseUrl: string };

/** @throws StoreLocationError unless exactly one place is named */
export function requireOnePlace({ dataDir, databaseUrl }: StoreLocation): StorePlace {
  if (dataDir !== undefined && databaseUrl === undefined) return { dataDir };
  if (dataDir === undefined && databaseUrl !== undefined) return { databaseUrl };
  throw new StoreLocationError('name one place of the store: a data folder, or the URL of a PostgreSQL database');
}
