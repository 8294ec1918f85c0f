import type { GatewaySession } from '@rolecall/api';
import type { InferResult, Kysely } from 'kysely';
import { matches, type Search } from './administration.ts';
import { type Fields, rowOf } from './columns.ts';
import { changeBy, findBy, listBy, runBy, runEach, runWith } from './operations.ts';
import { dataSourceColumns, personColumns } from './references.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'process_id as process',
  'person_id as person',
  'data_source_id as dataSource',
  'protocol',
  'address',
  'client',
  'started_at as startedAt',
  'at_server as atServer',
] as const;

/** An open session of the gateway, as it is stored. Times are ISO 8601. */
export type StoredGatewaySession = Fields<'gateway_session', typeof columns>;

/** Milliseconds for which the sessions of a process that has died stay in the store. No list has them. */
const keptMs = 10 * 60_000;

export const insertGatewaySessions = runEach<StoredGatewaySession>((db, sessions) =>
  db.insertInto('gateway_session').values(sessions.map((session) => rowOf(columns, session))),
);

export const deleteGatewaySessions = runEach<{ id: string }>((db, sessions) =>
  db.deleteFrom('gateway_session').where(
    'id',
    'in',
    sessions.map(({ id }) => id),
  ),
);

const renew = changeBy(['id', 'leaseUntil'], (db, { id, leaseUntil }) =>
  db.updateTable('gateway_process').set({ lease_until: leaseUntil }).where('id', '=', id).returning('id'),
);

const insertProcess = runWith<{ id: string; name: string; leaseUntil: string }>((db, { id, name, leaseUntil }) =>
  db.insertInto('gateway_process').values({ id, name, lease_until: leaseUntil }),
);

/**
 * Takes or renews the lease of a process.
 *
 * @param ms how long it lasts, from now by the store's clock
 * @returns whether it is new: the store has no sessions of the process
 */
export async function keepGatewayProcess(
  executor: Executor,
  { id, name }: { id: string; name: string },
  ms: number,
): Promise<boolean> {
  const leaseUntil = new Date((await executor.now()).getTime() + ms).toISOString();
  if (await renew(executor, id, leaseUntil)) return false;
  await insertProcess(executor, { id, name, leaseUntil });
  return true;
}

/**
 * The sessions at servers of processes whose lease is over.
 *
 * @param now as ISO 8601
 */
export const selectLeftBehind = listBy(
  ['now'],
  (db, { now }) =>
    db
      .selectFrom('gateway_session')
      .innerJoin('gateway_process', 'gateway_process.id', 'gateway_session.process_id')
      .innerJoin('data_source', 'data_source.id', 'gateway_session.data_source_id')
      .select([
        'gateway_session.id',
        'process_id as process',
        'data_source_id as dataSource',
        'at_server as atServer',
        'sealed_uri as sealedUri',
      ])
      .where('lease_until', '<=', now)
      .where('at_server', 'is not', null),
  ({ atServer, ...row }) => ({ ...row, atServer: atServer ?? '' }),
);

/** Changes nothing in processes whose lease is over, but only where the store takes writes. */
export const touchOverdueProcesses = runBy(['now'], (db, { now }) =>
  db
    .updateTable('gateway_process')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('lease_until', '<=', now),
);

/** Deletes a process, unless it has renewed its lease. @returns whether it is deleted */
export const deleteOverdueProcess = changeBy(['id', 'now'], (db, { id, now }) =>
  db.deleteFrom('gateway_process').where('id', '=', id).where('lease_until', '<=', now).returning('id'),
);

/** Asks the process that has a session to end it. @returns whether there is one */
export const requestSessionEnd = changeBy(['id', 'reason'], (db, { id, reason }) =>
  db
    .updateTable('gateway_session')
    .set({ end_reason: reason })
    .where('id', '=', id)
    .where('end_reason', 'is', null)
    .returning('id'),
);

/** The sessions of a process that are to end, with the reason for the person. */
export const selectSessionsToEnd = listBy(
  ['process'],
  (db, { process }) =>
    db
      .selectFrom('gateway_session')
      .select(['id', 'end_reason as reason'])
      .where('process_id', '=', process)
      .where('end_reason', 'is not', null),
  ({ id, reason }) => ({ id, reason: reason ?? '' }),
);

/** A session that belongs to this person. */
export const findGatewaySessionOf = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('gateway_session').select('id').where('id', '=', id).where('person_id', '=', person),
);

const live = (db: Kysely<Tables>, now: string) =>
  db
    .selectFrom('gateway_session')
    .innerJoin('gateway_process', 'gateway_process.id', 'gateway_session.process_id')
    .innerJoin('person', 'person.id', 'gateway_session.person_id')
    .innerJoin('data_source', 'data_source.id', 'gateway_session.data_source_id')
    .select([
      ...personColumns,
      ...dataSourceColumns,
      'gateway_session.id',
      'gateway_process.name as process',
      'protocol',
      'address',
      'client',
      'started_at as startedAt',
    ])
    .where('end_reason', 'is', null)
    .where('lease_until', '>', now)
    .orderBy('started_at', 'desc')
    .orderBy('gateway_session.id');

const searchAll = statement<Search & { now: string }>()((db, { pattern, offset, limit, now }) =>
  live(db, now).where(matches(pattern)).limit(limit).offset(offset),
);

const searchPerson = statement<{ person: string; limit: number; now: string }>()((db, { person, limit, now }) =>
  live(db, now).where('gateway_session.person_id', '=', person).limit(limit),
);

/** Row of a session, without the end of its access. */
export type ListedGatewaySession = Omit<GatewaySession, 'until'>;

/** The open sessions of all processes, the newest first. */
export async function searchGatewaySessions(executor: Executor, wanted: Search): Promise<ListedGatewaySession[]> {
  return (await executor.all(searchAll, { ...wanted, now: await readNow(executor) })).map(show);
}

/** The open sessions of a person, the newest first. */
export async function selectGatewaySessionsOf(
  executor: Executor,
  person: string,
  limit: number,
): Promise<ListedGatewaySession[]> {
  return (await executor.all(searchPerson, { person, limit, now: await readNow(executor) })).map(show);
}

const abandoned = runWith<{ before: string }>((db, { before }) =>
  db
    .deleteFrom('gateway_session')
    .where('process_id', 'not in', db.selectFrom('gateway_process').select('id').where('lease_until', '>', before)),
);

const dead = runWith<{ before: string }>((db, { before }) =>
  db.deleteFrom('gateway_process').where('lease_until', '<=', before),
);

/** Deletes what processes have left that died some time ago, so that the tables do not grow. */
export async function deleteAbandonedSessions(executor: Executor): Promise<void> {
  const cutoff = new Date((await executor.now()).getTime() - keptMs).toISOString();
  await abandoned(executor, { before: cutoff });
  await dead(executor, { before: cutoff });
}

async function readNow(executor: Executor): Promise<string> {
  return (await executor.now()).toISOString();
}

type Row = InferResult<ReturnType<typeof live>>[number];

function show({ personId, personName, username, email, dataSourceId, dataSourceName, alias, ...row }: Row) {
  return {
    ...row,
    person: { id: personId, name: personName, username, email },
    dataSource: { id: dataSourceId, name: dataSourceName, alias },
  };
}
