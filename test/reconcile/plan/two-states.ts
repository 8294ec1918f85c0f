import type { Client } from '@rolecall/api';
import type { DesiredObject } from '@rolecall/reconcile';
import { dataSource, membership, permission, person, role, snippet } from '../support.ts';

const books = dataSource('books');
const ledger = dataSource('ledger');
const member = { name: 'member' };
const grant = { name: 'grant' };
const turn = { window: { startsAt: '2030-01-01T00:00:00.000Z', expiresAt: '2030-02-01T00:00:00.000Z' } };

/** The definitions of a small team. */
export const earlier: readonly DesiredObject[] = [
  books,
  ledger,
  person('ada'),
  person('cy'),
  role('staff'),
  role('temps'),
  membership('staff', 'ada', member),
  membership('temps', 'cy'),
  permission('cy', 'ledger', grant),
  snippet('Totals'),
];

/** A person and a role get other names, what three definitions have becomes another object, some go, some come. */
export const later: readonly DesiredObject[] = [
  books,
  ledger,
  person('lovelace', { name: 'ada', email: 'king@example.com' }),
  person('bob'),
  role('engineers', { name: 'staff' }),
  role('ops'),
  membership('ops', 'bob', member),
  membership('ops', 'lovelace', { name: 'turn', ...turn }),
  permission('lovelace', 'books', grant),
  permission('bob', 'ledger'),
  snippet('Sums', { name: 'totals' }),
];

/** All that definitions declare, without ids and times; and the ids by name. */
export async function readState(client: Client) {
  const snapshot = await client.call('readSnapshot', { query: { include: 'snippets' } });
  const { people, roles, dataSources, permissions, rolePeople, roleWindows = [], snippets = [] } = snapshot;
  const names = new Map([
    ...people.map(({ id, username }) => [id, username] as const),
    ...roles.map(({ id, name }) => [id, name] as const),
    ...dataSources.map(({ id, alias }) => [id, alias ?? ''] as const),
    ...snippets.map(({ id, activeVersion }) => [id, activeVersion.name] as const),
  ]);
  const of = (id: string): string => names.get(id) ?? '';
  const windowed = new Map(
    roleWindows.map(({ roleId, personId, startsAt = '', expiresAt = '' }) => [
      `${roleId} ${personId}`,
      `${startsAt} ${expiresAt}`,
    ]),
  );
  const state = {
    people: people.map(({ username, name, email, isLocked }) => `${username} ${name} ${email} ${isLocked}`).sort(),
    roles: roles.map(({ name }) => name).sort(),
    members: rolePeople
      .map(({ roleId, personId }) => `${of(personId)} in ${of(roleId)} ${windowed.get(`${roleId} ${personId}`) ?? ''}`)
      .sort(),
    permissions: permissions
      .map(
        ({ personId, dataSourceId, startsAt, expiresAt }) =>
          `${of(personId)} ${of(dataSourceId)} ${startsAt} ${expiresAt}`,
      )
      .sort(),
    snippets: snippets.map(({ activeVersion }) => activeVersion.name).sort(),
  };
  return {
    state,
    people: people.map(({ username }) => username).sort(),
    ids: Object.fromEntries([...names].map(([id, name]) => [name, id])),
  };
}
