import type { AccessFacts, AccessMember } from '@rolecall/reconcile';
import type { MemberEntry, PermissionEntry, ReportData } from './report-data.ts';

/**
 * What the page of a report is to carry, in an order that reads well: people by name, the rest by what it is called.
 *
 * @param facts with the ids of one workspace
 */
export function toReportData(
  facts: AccessFacts,
  { workspace, readAt, at }: { workspace: string; readAt: Date; at: Date },
): ReportData {
  const people = facts.people.toSorted((a, b) => compare(a.name, b.name) || compare(a.username, b.username));
  const dataSources = facts.dataSources.toSorted((a, b) => compare(a.alias ?? a.name, b.alias ?? b.name));
  const personIndex = new Map(people.map(({ key }, index) => [key, index]));
  const dataSourceIndex = new Map(dataSources.map(({ key }, index) => [key, index]));
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
        people: membersOf(role.people, personIndex),
        dataSources: membersOf(role.dataSources, dataSourceIndex),
      })),
    permissions: facts.permissions.flatMap(({ person, dataSource, startsAt, expiresAt }): PermissionEntry[] => {
      const [who, what] = [personIndex.get(person), dataSourceIndex.get(dataSource)];
      if (who === undefined || what === undefined) return [];
      return [[who, what, Date.parse(startsAt), Date.parse(expiresAt)]];
    }),
  };
}

/** What is not in the lists went while they were read. */
function membersOf(members: readonly AccessMember[], indexes: ReadonlyMap<string, number>): MemberEntry[] {
  return members.flatMap(({ key, assignedAt }): MemberEntry[] => {
    const index = indexes.get(key);
    return index === undefined ? [] : [[index, assignedAt === undefined ? 0 : Date.parse(assignedAt)]];
  });
}

const collator = new Intl.Collator('en');
const compare = (a: string, b: string): number => collator.compare(a, b);
