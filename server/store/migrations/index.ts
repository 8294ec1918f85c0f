import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { initial } from './0001-initial.ts';
import { queries } from './0002-queries.ts';

/** One step from a version of the store to the next. */
export type Migration = (db: Kysely<Tables>) => Promise<void>;

/** In order: the first brings an empty store to version 1. */
export const migrations: readonly { name: string; migrate: Migration }[] = [
  { name: 'initial', migrate: initial },
  { name: 'queries', migrate: queries },
];
