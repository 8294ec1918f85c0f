import {
  type AccessFacts,
  type AccessMember,
  type DesiredObject,
  dataSourceKey,
  personKey,
  roleKey,
} from '@rolecall/reconcile';
import type { MemberEntry, NoteEntry, PermissionEntry, ReportData } from './report-data.ts';

/**
 * What the page of a report is to carry, in an order that reads well: people by name, the rest by what it is called.
 *
 * @param facts with the ids of one workspace
 * @param declared what definitions say of the workspace: they know why access is given, and where that is written
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
  const roleNotes = notesOf(declared, roleKeyOf);
  const permissionNotes = notesOf(declared, permissionKeyOf);
  const notes: NoteEntry[] = [];
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
        ...roleNotes.get(roleKey(role.name)),
        people: membersOf(role.people, personIndex),
        dataSources: membersOf(role.dataSources, dataSourceIndex),
      })),
    permissions: facts.permissions.flatMap(({ person, dataSource, startsAt, expiresAt }): PermissionEntry[] => {
      const [who, what] = [personIndex.get(person), dataSourceIndex.get(dataSource)];
      if (who === undefined || what === undefined) return [];
      const [start, end] = [Date.parse(startsAt), Date.parse(expiresAt)];
      const keyOf = (from: number | undefined) =>
        windowKey(people[who]?.username ?? '', dataSources[what]?.alias ?? '', from, end);
      const note = permissionNotes.get(keyOf(start)) ?? permissionNotes.get(keyOf(undefined));
      return [note === undefined ? [who, what, start, end] : [who, what, start, end, notes.push(note) - 1]];
    }),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** What definitions say of the objects that have a key. */
function notesOf(declared: readonly DesiredObject[], keyOf: (object: DesiredObject) => string | undefined) {
  return new Map(
    declared.flatMap((object): [string, NoteEntry][] => {
      const key = keyOf(object);
      const reason = object.kind === 'Permission' ? object.reason : undefined;
      const { place } = object;
      if (key === undefined || (reason ?? place) === undefined) return [];
      return [[key, { ...(reason === undefined ? {} : { reason }), ...(place === undefined ? {} : { place }) }]];
    }),
  );
}

const roleKeyOf = (object: DesiredObject): string | undefined =>
  object.kind === 'Role' ? roleKey(object.role) : undefined;

function permissionKeyOf(object: DesiredObject): string | undefined {
  if (object.kind !== 'Permission') return undefined;
  const { person, dataSource, startsAt, expiresAt } = object;
  const end = Date.parse(expiresAt);
  return windowKey(person, dataSource, startsAt === undefined ? undefined : Date.parse(startsAt), end);
}

/** @param start undefined where the definition has none */
function windowKey(username: string, alias: string, start: number | undefined, end: number): string {
  return JSON.stringify([personKey(username), dataSourceKey(alias), end, start ?? null]);
}

/** An object that is missing in the lists was deleted while they were read. */
function membersOf(members: readonly AccessMember[], indexes: ReadonlyMap<string, number>): MemberEntry[] {
  return members.flatMap(({ key, assignedAt, windows = [{}] }): MemberEntry[] => {
    const index = indexes.get(key);
    if (index === undefined) return [];
    const assigned = assignedAt === undefined ? 0 : Date.parse(assignedAt);
    return windows.map(({ startsAt, expiresAt }): MemberEntry => {
      const since = startsAt === undefined ? assigned : Math.max(assigned, Date.parse(startsAt));
      return expiresAt === undefined ? [index, since] : [index, since, Date.parse(expiresAt)];
    });
  });
}

const collator = new Intl.Collator('en');
const compare = (a: string, b: string): number => collator.compare(a, b);
