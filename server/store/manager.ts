import type { Managed } from '@rolecall/api';
import { type SqlBool, sql } from 'kysely';
import type { Change } from '../audit/entry.ts';
import { type Pages, pageRows } from './pages.ts';
import { statement } from './statement.ts';
import type { Executor, MaybePromise } from './store.ts';

/** Writer, by the header `rolecall-manager`. */
export interface Manager {
  name: string;
  /** True if it removes what it does not declare from the list that it writes to. */
  isExact: boolean;
  /** The definition that the request writes an object for, by the header `rolecall-definition`. */
  declares: { readonly definition: string; readonly isKept: boolean } | undefined;
}

const note = statement<{ kind: string; id: string; manager: string; at: string }>()((db, { kind, id, manager, at }) =>
  db
    .insertInto('manager')
    .values({ kind, id, manager, at })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ manager, at })),
);

const forget = statement<{ kind: string; id: string }>()((db, { kind, id }) =>
  db.deleteFrom('manager').where('kind', '=', kind).where('id', '=', id),
);

const list = statement<{ kind: string; id: string }>()((db, { kind, id }) =>
  db
    .selectFrom('manager')
    .select(['kind', 'id', 'manager', 'at'])
    .where((eb) => eb.or([eb('kind', '>', kind), eb.and([eb('kind', '=', kind), eb('id', '>', id)])]))
    .orderBy('kind')
    .orderBy('id')
    .limit(pageRows),
);

/** Joins the manager of a permission. */
export const managesPermission = sql<SqlBool>`manager.kind = 'permission' and manager.id = cast(permission.id as text)`;

/** Joins the manager of a person's membership in a role. */
export const managesMembership = sql<SqlBool>`manager.kind = 'role_person'
  and manager.id = role_person.role_id || '/' || role_person.person_id`;

/** The lists that a manager may run exactly: the memberships of one role, and whole collections. */
function listOf({ kind, id }: Pick<Change, 'kind' | 'id'>): { kind: string; id: string } {
  const isMembership = kind === 'role_person' || kind === 'role_data_source';
  return { kind: `exact ${kind}`, id: isMembership ? id.slice(0, id.indexOf('/')) : '' };
}

function forgottenWith(kind: Change['kind'], id: string): { kind: string; id: string }[] {
  const lists = kind === 'role' ? ['exact role_person', 'exact role_data_source'] : [];
  return [kind, ...lists].map((list) => ({ kind: list, id }));
}

/** Other actions, such as a connection that was tested, make no one the manager of anything. */
const writing: ReadonlySet<Change['action']> = new Set(['created', 'changed', 'deleted']);

/**
 * Keeps who wrote what a request changed, in the transaction that changes it. What was deleted is forgotten, so that there is
 * one row an object and one a list at most. A change without a manager leaves the last one in place.
 */
export async function noteManager(
  executor: Executor,
  changes: readonly Change[],
  manager: Manager | undefined,
  at: string,
): Promise<void> {
  if (!changes.some(({ action }) => writing.has(action))) return;
  const statements = changes.flatMap(({ kind, id, action }): MaybePromise<unknown>[] => {
    if (action === 'deleted') return forgottenWith(kind, id).map((object) => executor.all(forget, object));
    return manager === undefined ? [] : [executor.all(note, { kind, id, manager: manager.name, at })];
  });
  // Not one after the other: PostgreSQL takes them without a round trip for each.
  if (statements.length > 0) await Promise.all(statements);
  const written = changes.find(({ along }) => along === undefined);
  if (manager?.isExact !== true || written === undefined) return;
  await executor.all(note, { ...listOf(written), manager: manager.name, at });
}

/** Every object and list that a manager wrote. */
export const managedPages: Pages<Managed, { kind: string; id: string }> = {
  start: { kind: '', id: '' },
  read: async (executor, { kind, id }) => {
    const rows = await executor.all(list, { kind, id });
    return { rows, next: rows.length < pageRows ? undefined : rows.at(-1) };
  },
};
