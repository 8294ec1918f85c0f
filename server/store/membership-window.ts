/** The times in which people have roles. A membership without any holds as long as it is there. */

import type { MembershipWindow } from '@rolecall/api';
import { type Kysely, type SqlBool, sql } from 'kysely';
import { listBy } from './operations.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/** A window as a row has it. */
export interface WindowColumns {
  readonly windowStartsAt: string | null;
  readonly windowExpiresAt: string | null;
}

/** Joins the windows of the memberships in `role_person`: a row for each window, or one without for a membership that has none. */
export const ofMembership = sql<SqlBool>`role_person_window.role_id = role_person.role_id
  and role_person_window.person_id = role_person.person_id`;

const later = sql<string>`case when role_person.assigned_at > role_data_source.assigned_at then role_person.assigned_at
  else role_data_source.assigned_at end`;

/** Start of a role for a person; empty for one that begins with the membership. */
export const beginOfRole = sql<string>`coalesce(role_person_window.starts_at, '')`;

/** End of a role for a person; empty for one that ends with the membership. */
export const endOfRole = sql<string>`coalesce(role_person_window.expires_at, '')`;

/** Since when a person has a role and the role its data source. */
export const startOfRole = sql<string>`case when coalesce(role_person_window.starts_at, '') > ${later} then
  role_person_window.starts_at else ${later} end`;

/** Condition that the membership in `role_person` holds at a time, which is a parameter. */
export const holdsAt = (now: string) => sql<SqlBool>`(not exists (
    select 1 from role_person_window w where w.role_id = role_person.role_id and w.person_id = role_person.person_id
  ) or exists (
    select 1 from role_person_window w where w.role_id = role_person.role_id and w.person_id = role_person.person_id
      and (w.starts_at is null or w.starts_at <= ${now}) and (w.expires_at is null or w.expires_at > ${now})
  ))`;

/** @returns undefined for the row of a membership without windows */
export function windowOf({ windowStartsAt, windowExpiresAt }: WindowColumns): MembershipWindow | undefined {
  if (windowStartsAt === null && windowExpiresAt === null) return undefined;
  return {
    ...(windowStartsAt === null ? {} : { startsAt: windowStartsAt }),
    ...(windowExpiresAt === null ? {} : { expiresAt: windowExpiresAt }),
  };
}

/** The windows of one membership, from the first to the last. */
export const selectWindows = listBy(
  ['role', 'member'],
  (db, { role, member }) =>
    db
      .selectFrom('role_person_window')
      .select(['starts_at as windowStartsAt', 'expires_at as windowExpiresAt'])
      .where('role_id', '=', role)
      .where('person_id', '=', member)
      .orderBy('seq'),
  (row) => windowOf(row) ?? {},
);

const windowsWhere = (db: Kysely<Tables>, column: 'role_id' | 'person_id', id: string) =>
  db
    .selectFrom('role_person_window')
    .select(['role_id as role', 'person_id as member', 'starts_at as windowStartsAt', 'expires_at as windowExpiresAt'])
    .where(column, '=', id)
    .orderBy('seq');

/** The windows of all memberships of a person. */
export const selectWindowsOfPerson = listBy(['person'], (db, { person }) => windowsWhere(db, 'person_id', person));

/** The windows of all memberships in a role. */
export const selectWindowsOfRole = listBy(['role'], (db, { role }) => windowsWhere(db, 'role_id', role));

/** The identifiers of a role and of a person in it. */
interface Membership {
  readonly role: string;
  readonly member: string;
}

/** Gives each membership its windows, in their order. */
export function withWindows<M extends Membership>(
  memberships: readonly M[],
  rows: readonly (Membership & WindowColumns)[],
): (M & { windows?: MembershipWindow[] })[] {
  if (rows.length === 0) return [...memberships];
  const keyOf = ({ role, member }: Membership) => `${role}/${member}`;
  const windows = Map.groupBy(rows, keyOf);
  return memberships.map((membership) => {
    const ownWindows = windows.get(keyOf(membership))?.flatMap((row) => windowOf(row) ?? []);
    return ownWindows === undefined ? membership : { ...membership, windows: ownWindows };
  });
}

const remove = statement<{ role: string; member: string }>()((db, { role, member }) =>
  db.deleteFrom('role_person_window').where('role_id', '=', role).where('person_id', '=', member),
);

const insert = statement<{ role: string; member: string; startsAt: string | null; expiresAt: string | null }>()(
  (db, { role, member, startsAt, expiresAt }) =>
    db
      .insertInto('role_person_window')
      .values({ role_id: role, person_id: member, starts_at: startsAt, expires_at: expiresAt }),
);

/** Gives a membership these windows instead of those that it has. Without any, it holds as long as it is there. */
export async function replaceWindows(
  executor: Executor,
  { role, member }: { role: string; member: string },
  windows: readonly MembershipWindow[],
): Promise<void> {
  await executor.all(remove, { role, member });
  for (const { startsAt = null, expiresAt = null } of windows) {
    await executor.all(insert, { role, member, startsAt, expiresAt });
  }
}
