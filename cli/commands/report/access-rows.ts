import { type AccessFacts, type Grant, type GrantState, grantState, listGrants } from '@rolecall/reconcile';
import type { DeclaredNotes } from './declared-notes.ts';
import type { NoteEntry } from './report-data.ts';

/** One way by which one person reaches one data source. */
export interface AccessRow {
  person: { username: string; name: string; locked: boolean };
  dataSource: { alias: string | null; name: string };
  /** The name of the role; absent for a permission. */
  role?: string;
  /** Meaning of the grant at the moment of the report; a locked person's access that would hold is `locked`. */
  state: GrantState | 'locked';
  /** ISO 8601; null where it is not known. */
  startsAt: string | null;
  /** ISO 8601; null: as long as both are in the role. */
  expiresAt: string | null;
  /** Why it is given and who answers for it, where definitions were read that say so. */
  reason?: string;
  owner?: string;
}

export interface RowFilter {
  /** Keys of the facts; absent: all. */
  person?: string;
  dataSource?: string;
  role?: string;
  /** Only what gives access at the moment. */
  activeOnly: boolean;
}

/**
 * The rows of a report at a moment, by person and data source.
 *
 * @param notes why definitions give the access
 */
export function accessRows(facts: AccessFacts, at: Date, filter: RowFilter, notes: DeclaredNotes): AccessRow[] {
  const people = new Map(facts.people.map((person) => [person.key, person]));
  const dataSources = new Map(facts.dataSources.map((dataSource) => [dataSource.key, dataSource]));
  const roles = new Map(facts.roles.map(({ key, name }) => [key, name]));
  const rows: AccessRow[] = [];
  for (const grant of listGrants(facts)) {
    const person = people.get(grant.person);
    const dataSource = dataSources.get(grant.dataSource);
    if (person === undefined || dataSource === undefined || !passes(grant, filter)) continue;
    const within = grantState(grant, at);
    const state = within === 'active' && person.isLocked ? 'locked' : within;
    if (filter.activeOnly && state !== 'active') continue;
    const { username, name, isLocked } = person;
    const role = grant.way.kind === 'role' ? (roles.get(grant.way.role) ?? '') : undefined;
    const { reason, owner } = noteOn(grant, { username, alias: nameOf(dataSource), role }, notes);
    rows.push({
      person: { username, name, locked: isLocked },
      dataSource: { alias: dataSource.alias, name: dataSource.name },
      ...(role === undefined ? {} : { role }),
      state,
      startsAt: grant.startsAt ?? null,
      expiresAt: grant.expiresAt ?? null,
      ...(reason === undefined ? {} : { reason }),
      ...(owner === undefined ? {} : { owner }),
    });
  }
  return rows.sort(inOrder);
}

/** The note of a membership goes before that of its role. */
function noteOn(
  { startsAt = '', opensAt, expiresAt = '' }: Grant,
  { username, alias, role }: { username: string; alias: string; role: string | undefined },
  notes: DeclaredNotes,
): NoteEntry {
  if (role === undefined) return notes.permission(username, alias, startsAt, expiresAt) ?? {};
  const window = { ...(opensAt && { startsAt: opensAt }), ...(expiresAt && { expiresAt }) };
  const note = notes.rolePerson(role, username, window) ?? notes.roleDataSource(role, alias);
  return { ...notes.role(role), ...note };
}

function passes({ person, dataSource, way }: Grant, filter: RowFilter): boolean {
  if (filter.person !== undefined && person !== filter.person) return false;
  if (filter.dataSource !== undefined && dataSource !== filter.dataSource) return false;
  return filter.role === undefined || (way.kind === 'role' && way.role === filter.role);
}

/** Returns the name by which a data source is shown: its alias or, where it has none, its name. */
export function nameOf({ alias, name }: AccessRow['dataSource']): string {
  return alias ?? name;
}

function inOrder(a: AccessRow, b: AccessRow): number {
  return (
    compare(a.person.username, b.person.username) ||
    compare(nameOf(a.dataSource), nameOf(b.dataSource)) ||
    compare(a.role ?? '\uffff', b.role ?? '\uffff') ||
    compare(a.startsAt ?? '', b.startsAt ?? '')
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
