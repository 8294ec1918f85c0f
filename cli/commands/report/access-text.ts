import { csvOf } from '../../output/csv.ts';
import { formatTable } from '../../output/table.ts';
import { counted } from '../../output/words.ts';
import { type AccessRow, nameOf } from './access-rows.ts';
import { shortTime } from './short-time.ts';

/** A table for people, a person's name on the first of their rows only, and a sentence that counts. */
export function accessText(rows: readonly AccessRow[], at: Date, withStates: boolean): string {
  const moment = shortTime(at.toISOString());
  if (rows.length === 0) return `At ${moment} no one reaches what you asked for.`;
  // Only reports over definitions have them.
  const notes = (['reason', 'owner'] as const).filter((note) => rows.some((row) => row[note] !== undefined));
  const cells = rows.map((row, index) => {
    const { person } = row;
    const isFirst = rows[index - 1]?.person.username !== person.username;
    return [
      isFirst ? person.username : '',
      nameOf(row.dataSource),
      row.role === undefined ? 'permission' : `role ${row.role}`,
      ...(withStates ? [row.state === 'locked' ? 'locked out' : row.state] : []),
      shortTime(row.startsAt ?? ''),
      row.expiresAt === null ? '(as long as in the role)' : shortTime(row.expiresAt),
      ...notes.map((note) => row[note] ?? ''),
    ];
  });
  const headings = ['person', 'data source', 'through', ...(withStates ? ['state'] : []), 'from', 'until', ...notes];
  return `${formatTable(headings, cells)}\n\n${summary(rows, moment)}`;
}

function summary(rows: readonly AccessRow[], moment: string): string {
  const active = rows.filter(({ state }) => state === 'active');
  const people = new Set(active.map(({ person }) => person.username)).size;
  const dataSources = new Set(active.map(({ dataSource }) => nameOf(dataSource))).size;
  const who = people === 1 ? '1 person reaches' : `${people} people reach`;
  return `At ${moment} ${who} ${counted(dataSources, 'data source')}.`;
}

/** The same as CSV; times and all fields as they are. */
export function accessCsv(rows: readonly AccessRow[]): string {
  return csvOf(rows, {
    username: ({ person }) => person.username,
    name: ({ person }) => person.name,
    locked: ({ person }) => String(person.locked),
    data_source_alias: ({ dataSource }) => dataSource.alias ?? '',
    data_source_name: ({ dataSource }) => dataSource.name,
    through: ({ role }) => (role === undefined ? 'permission' : 'role'),
    role: ({ role = '' }) => role,
    state: ({ state }) => state,
    starts_at: ({ startsAt }) => startsAt ?? '',
    expires_at: ({ expiresAt }) => expiresAt ?? '',
    reason: ({ reason = '' }) => reason,
    owner: ({ owner = '' }) => owner,
  });
}
