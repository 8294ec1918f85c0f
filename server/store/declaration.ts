/** The memory of declarations: which objects the definitions of a manager stand for, and where they came from. */

import { type DeclarableKind, declarableKinds, type RecordedDeclarations } from '@rolecall/api';
import type { Change } from '../audit/entry.ts';
import { bumpCollectionVersions } from './collection-version.ts';
import { existingObjects } from './declared-object.ts';
import type { Manager } from './manager.ts';
import { changeBy, findBy, listEach } from './operations.ts';
import type { Executor } from './store.ts';

type Declaration = NonNullable<RecordedDeclarations['declared']>[number];
type Forgotten = NonNullable<RecordedDeclarations['forgotten']>[number];

interface Row extends Forgotten {
  readonly manager: string;
  readonly isKept: number;
  readonly at: string;
}

/** A row that is there as it should be is left alone, so that its time tells since when it is. */
const put = listEach<Row>()((db, rows) =>
  db
    .insertInto('declaration')
    .values(
      rows.map(({ isKept, manager, kind, id, definition, at }) => ({
        manager,
        kind,
        id,
        definition,
        is_kept: isKept,
        at,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['manager', 'kind', 'id', 'definition'])
        .doUpdateSet((eb) => ({ is_kept: eb.ref('excluded.is_kept'), at: eb.ref('excluded.at') }))
        .whereRef('declaration.is_kept', '<>', 'excluded.is_kept'),
    )
    .returning('declaration.kind'),
);

const forget = listEach<Forgotten & { manager: string }>()((db, rows) =>
  db
    .deleteFrom('declaration')
    .where((eb) => eb.or(rows.map(({ manager, kind, id, definition }) => eb.and({ manager, kind, id, definition }))))
    .returning('kind'),
);

const forgetObjects = listEach<Pick<Forgotten, 'kind' | 'id'>>()((db, rows) =>
  db
    .deleteFrom('declaration')
    .where((eb) => eb.or(rows.map(({ kind, id }) => eb.and({ kind, id }))))
    .returning('kind'),
);

/** Remembers where the definitions of a manager came from. @returns whether that is news */
export const putDeclarationOrigin = changeBy(['manager', 'origin', 'at'], (db, { manager, origin, at }) =>
  db
    .insertInto('declaration_origin')
    .values({ manager, origin, at })
    .onConflict((conflict) =>
      conflict
        .column('manager')
        .doUpdateSet({ origin, at })
        .whereRef('declaration_origin.origin', '<>', 'excluded.origin'),
    )
    .returning('manager'),
);

const findOrigin = findBy(
  ['manager'],
  (db, { manager }) => db.selectFrom('declaration_origin').select('origin').where('manager', '=', manager),
  ({ origin }) => origin,
);

const count = (table: 'declaration' | 'declaration_origin') =>
  findBy(
    [],
    (db) => db.selectFrom(table).select((eb) => eb.fn.countAll<number | string>().as('rows')),
    ({ rows }) => Number(rows),
  );

const countDefinitions = count('declaration');
const countOrigins = count('declaration_origin');

const declarable: ReadonlySet<string> = new Set(declarableKinds);

const isDeclarable = (change: Change): change is Change & { kind: DeclarableKind } => declarable.has(change.kind);

/** Forgets the definitions of what a request has deleted, in its transaction, and counts that as a change. */
export async function forgetDeclared(executor: Executor, changes: readonly Change[]): Promise<void> {
  const gone = changes.filter(isDeclarable).filter(({ action }) => action === 'deleted');
  const rows = await forgetObjects(
    executor,
    gone.map(({ kind, id }) => ({ kind, id })),
  );
  if (rows.length > 0) await bumpCollectionVersions(executor, ['declaration']);
}

/** Remembers which definition a request has written an object for, in its transaction. The writer counts it as a change. */
export async function noteDeclared(
  executor: Executor,
  changes: readonly Change[],
  manager: Manager | undefined,
  at: string,
): Promise<void> {
  const written = changes
    .filter(isDeclarable)
    .find(({ along, action }) => along === undefined && (action === 'created' || action === 'changed'));
  if (manager?.declares === undefined || written === undefined) return;
  const { definition, isKept } = manager.declares;
  const { kind, id } = written;
  await put(executor, [{ manager: manager.name, kind, id, definition, isKept: isKept ? 1 : 0, at }]);
}

/** Remembers definitions whose objects are there. @returns how many were not remembered like this already */
export async function putDeclarations(
  executor: Executor,
  manager: string,
  declarations: readonly Declaration[],
  at: string,
): Promise<number> {
  // One statement may not write a row twice: of two that are the same, the last one counts.
  const rows = new Map(declarations.map((row) => [`${row.kind} ${row.id} ${row.definition}`, row]));
  const there = new Set<string>();
  for (const [kind, some] of Map.groupBy(rows.values(), (row) => row.kind)) {
    const ids = [...new Set(some.map(({ id }) => id))];
    for (const id of await existingObjects[kind](executor, ids)) there.add(`${kind} ${id}`);
  }
  const kept = [...rows.values()].filter(({ kind, id }) => there.has(`${kind} ${id}`));
  const written = await put(
    executor,
    kept.map((row) => ({ ...row, isKept: row.isKept ? 1 : 0, manager, at })),
  );
  return written.length;
}

/** Forgets definitions of one manager. @returns how many were remembered */
export async function forgetDeclarations(
  executor: Executor,
  manager: string,
  declarations: readonly Forgotten[],
): Promise<number> {
  return (
    await forget(
      executor,
      declarations.map((row) => ({ ...row, manager })),
    )
  ).length;
}

/** Number of remembered definitions of all managers, and of managers whose origin is remembered. */
export interface Remembered {
  readonly definitions: number;
  readonly origins: number;
}

/** Counts what is remembered. */
export async function countDeclarations(executor: Executor): Promise<Remembered> {
  return { definitions: (await countDefinitions(executor)) ?? 0, origins: (await countOrigins(executor)) ?? 0 };
}

/** Finds the origin of a manager's definitions; null if it has never said. */
export async function findDeclarationOrigin(executor: Executor, manager: string): Promise<string | null> {
  return (await findOrigin(executor, manager)) ?? null;
}
