import type { FactorKind } from '@rolecall/api';
import { type Fields, rowOf } from './columns.ts';
import { changeBy, changeWith, findBy, listBy, listWith, runWith } from './operations.ts';
import type { Executor } from './store.ts';

const columns = [
  'id',
  'person_id as person',
  'kind',
  'name',
  'sealed',
  'lookup',
  'counter',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const;

/** Something by which a person signs in, as it is stored. Times are ISO 8601. */
export type StoredFactor = Fields<'sign_in_factor', typeof columns>;

/** Context that the secret of a factor is sealed for: it opens for no other row, person or kind. */
export function factorRow({ id, person, kind }: Pick<StoredFactor, 'id' | 'person' | 'kind'>): string {
  return `sign_in_factor ${id} ${person} ${kind}`;
}

/** The factors of a person, the oldest first. */
export const selectFactorsOf = listBy(['person'], (db, { person }) =>
  db.selectFrom('sign_in_factor').select(columns).where('person_id', '=', person).orderBy('created_at').orderBy('id'),
);

/** A factor that belongs to this person. */
export const findFactorOf = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('sign_in_factor').select(columns).where('id', '=', id).where('person_id', '=', person),
);

/** The password of a person. */
export const findPassword = findBy(['person'], (db, { person }) =>
  db.selectFrom('sign_in_factor').select(columns).where('person_id', '=', person).where('kind', '=', 'password'),
);

export const findFactorByLookup = findBy(['lookup'], (db, { lookup }) =>
  db.selectFrom('sign_in_factor').select(columns).where('lookup', '=', lookup),
);

/** @throws UniqueError for `sign_in_factor.lookup` */
export const insertFactor = runWith<StoredFactor>((db, factor) =>
  db.insertInto('sign_in_factor').values(rowOf(columns, factor)),
);

/**
 * Notes that a factor was used, and moves its counter on.
 *
 * @returns whether the counter still was `from`: a code that another request has just used is not used twice
 */
export const advanceFactor = changeWith<{ id: string; from: number; to: number; at: string }>(
  (db, { id, from, to, at }) =>
    db
      .updateTable('sign_in_factor')
      .set({ counter: to, last_used_at: at })
      .where('id', '=', id)
      .where('counter', '=', from)
      .returning('id'),
);

/** @returns whether there was one */
export const deleteFactor = changeBy(['id'], (db, { id }) =>
  db.deleteFrom('sign_in_factor').where('id', '=', id).returning('id'),
);

/** Deletes the factors of one kind that a person has. */
export const deleteFactorsOf = listWith<{ person: string; kind: FactorKind }>()((db, { person, kind }) =>
  db.deleteFrom('sign_in_factor').where('person_id', '=', person).where('kind', '=', kind).returning('id'),
);

const selectFactorsAfter = listBy(['after'], (db, { after }) =>
  db.selectFrom('sign_in_factor').select(columns).where('id', '>', after).orderBy('id').limit(1000),
);

export const renameFactor = runWith<{ id: string; name: string }>((db, { id, name }) =>
  db.updateTable('sign_in_factor').set({ name }).where('id', '=', id),
);

export const updateFactorSeal = runWith<{ id: string; sealed: Uint8Array }>((db, { id, sealed }) =>
  db.updateTable('sign_in_factor').set({ sealed }).where('id', '=', id),
);

/** Seals every factor anew. @param reseal gives what to store; undefined to leave the row as it is */
export async function resealFactors(
  executor: Executor,
  reseal: (factor: StoredFactor) => Uint8Array | undefined,
): Promise<void> {
  let page: StoredFactor[];
  let after = '';
  do {
    page = await selectFactorsAfter(executor, after);
    for (const factor of page) {
      const sealed = reseal(factor);
      if (sealed !== undefined) await updateFactorSeal(executor, { id: factor.id, sealed });
    }
    after = page.at(-1)?.id ?? after;
  } while (page.length > 0);
}
