import type { MembershipWindow } from '@rolecall/api';
import type { AccessFacts, AccessMember, DesiredObject } from '@rolecall/reconcile';
import { DeclaredNotes } from './declared-notes.ts';
import type { MemberEntry, NoteEntry, PermissionEntry, ReportData } from './report-data.ts';

/**
 * Makes the data of a report's page, in an order that reads well: people by username, all else by its label.
 *
 * @param facts with the ids of one workspace
 * @param declared the objects that definitions declare: they know why access is given, and where that is written
 */
export function toReportData(
  facts: AccessFacts,
  { workspace, readAt, at }: { workspace: string; readAt: Date; at: Date },
  declared: readonly DesiredObject[] = [],
): ReportData {
  const people = facts.people.toSorted((a, b) => compare(a.name, b.name) || compare(a.username, b.username));
  const dataSources = facts.dataSources.toSorted((a, b) => compare(a.alias ?? a.name, b.alias ?? b.name));
  const personIndex = new Map(people.map(({ key }, index) => [key, index]));
  const dataSourceIndex = new Map(dataSources.map(({ key }, index) => [key, index]));
  const said = new DeclaredNotes(declared);
  const notes: NoteEntry[] = [];
  const keep = (note: NoteEntry | undefined): number | undefined =>
    note === undefined ? undefined : notes.push(note) - 1;
  return {
    workspace,
    readAt: readAt.getTime(),
    at: at.getTime(),
    people: people.map(({ username, name, isLocked }) => ({ username, name, ...(isLocked ? { locked: true } : {}) })),
    dataSources: dataSources.map(({ alias, name }) => ({ alias: alias ?? name, name })),
    roles: facts.roles
      .toSorted((a, b) => compare(a.name, b.name))
      .map((role) => ({
        name: role.name,
        ...said.role(role.name),
        people: membersOf(role.people, personIndex, (index, window) =>
          keep(said.rolePerson(role.name, people[index]?.username ?? '', window)),
        ),
        dataSources: membersOf(role.dataSources, dataSourceIndex, (index) =>
          keep(said.roleDataSource(role.name, dataSources[index]?.alias ?? '')),
        ),
      })),
    permissions: facts.permissions.flatMap(({ person, dataSource, startsAt, expiresAt }): PermissionEntry[] => {
      const [who, what] = [personIndex.get(person), dataSourceIndex.get(dataSource)];
      if (who === undefined || what === undefined) return [];
      const alias = dataSources[what]?.alias ?? '';
      const note = keep(said.permission(people[who]?.username ?? '', alias, startsAt, expiresAt));
      const entry = [who, what, Date.parse(startsAt), Date.parse(expiresAt)] as const;
      return [note === undefined ? [...entry] : [...entry, note]];
    }),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** An object that is missing in the lists was deleted while they were read. */
function membersOf(
  members: readonly AccessMember[],
  indexes: ReadonlyMap<string, number>,
  noteOn: (index: number, window: MembershipWindow) => number | undefined,
): MemberEntry[] {
  return members.flatMap(({ key, assignedAt, windows = [{}] }): MemberEntry[] => {
    const index = indexes.get(key);
    if (index === undefined) return [];
    const assigned = assignedAt === undefined ? 0 : Date.parse(assignedAt);
    return windows.map((window): MemberEntry => {
      const { startsAt, expiresAt } = window;
      const since = startsAt === undefined ? assigned : Math.max(assigned, Date.parse(startsAt));
      const until = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const note = noteOn(index, window);
      if (note !== undefined) return [index, since, until ?? null, note];
      return until === undefined ? [index, since] : [index, since, until];
    });
  });
}

const collator = new Intl.Collator('en');
const compare = (a: string, b: string): number => collator.compare(a, b);
