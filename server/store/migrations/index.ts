import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { access, lease, managers, membershipOrder, membershipWindows } from './access.ts';
import { audit, auditSinks, seals } from './audit.ts';
import { declarations } from './declarations.ts';
import { gatewayPasswords, gatewaySessions, gatewaySessionsAtServers } from './gateway.ts';
import { identity } from './identity.ts';
import { initial } from './initial.ts';
import { keyNames, limitedKeys } from './keys.ts';
import { messages, people, sessionIdleness } from './people.ts';
import { personQueries, queries, queryRows, replicas, work } from './queries.ts';

/** The stores that there are, each with a folder of its own. */
export type StoreKind = 'sqlite' | 'postgresql';

/**
 * One step from a version of the store to the next, written once for every store:
 *
 * - Columns have the types `text`, `integer` (64 bits) and `blob`. PostgreSQL makes of them what stands in
 *   `postgresql/schema-compiler.ts`: texts that compare by their bytes, `bigint`, `bytea`.
 * - A primary key of type `integer` is numbered by the store.
 * - What the query builder cannot say goes into `sql` that both understand; what only one store needs is marked `only`.
 * - It never takes away what the version before reads or writes: with several replicas both run side by side for a while.
 */
export type Migrate = (db: Kysely<Tables>) => Promise<void>;

export interface Migration {
  readonly name: string;
  readonly migrate: Migrate;
  /** The store that it changes; the others only count the version. Default: all. */
  readonly only?: StoreKind;
}

/** In order: the first brings an empty store to version 1. */
export const migrations: readonly Migration[] = [
  { name: 'initial', migrate: initial },
  { name: 'queries', migrate: queries },
  { name: 'audit', migrate: audit },
  { name: 'replicas', migrate: replicas },
  { name: 'query rows', migrate: queryRows, only: 'postgresql' },
  { name: 'key names', migrate: keyNames },
  { name: 'seals', migrate: seals },
  { name: 'limited keys', migrate: limitedKeys },
  { name: 'audit sinks', migrate: auditSinks },
  { name: 'managers', migrate: managers },
  { name: 'access', migrate: access },
  { name: 'membership order', migrate: membershipOrder, only: 'sqlite' },
  { name: 'people', migrate: people },
  { name: 'work', migrate: work },
  { name: 'messages', migrate: messages },
  { name: 'person queries', migrate: personQueries },
  { name: 'gateway passwords', migrate: gatewayPasswords },
  { name: 'gateway sessions', migrate: gatewaySessions },
  { name: 'lease', migrate: lease },
  { name: 'membership windows', migrate: membershipWindows },
  { name: 'identity', migrate: identity },
  { name: 'session idleness', migrate: sessionIdleness },
  { name: 'gateway sessions at servers', migrate: gatewaySessionsAtServers },
  { name: 'declarations', migrate: declarations },
];
