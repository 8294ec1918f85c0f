import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Sizes = Record<'people' | 'roles' | 'memberships' | 'permissions' | 'snippets' | 'dataSources', number>;

/** How many one-call changes of each sort a changed set has against the plain one. */
export type Changes = Record<
  'newPeople' | 'lockedPeople' | 'newMemberships' | 'newPermissions' | 'openedSnippets',
  number
>;

export const noChanges: Changes = {
  newPeople: 0,
  lockedPeople: 0,
  newMemberships: 0,
  newPermissions: 0,
  openedSnippets: 0,
};

/**
 * Writes definitions of a workspace into a folder, one file for each kind. The same sizes give the same definitions.
 *
 * @param changes the differences from the plain set: each change takes one call
 */
export function writeDefinitions(folder: string, sizes: Sizes, changes: Changes = noChanges): void {
  mkdirSync(folder, { recursive: true });
  const files: Record<string, string[]> = {
    'data-sources': times(sizes.dataSources, (index) =>
      document('DataSource', `source-${index}`, { uri: `postgresql://reader@db-${index}.internal:5432/main` }),
    ),
    people: times(sizes.people + changes.newPeople, (index) =>
      document('Person', `person-${index}`, {
        name: `Person ${index}`,
        email: `person-${index}@example.com`,
        locked: index < changes.lockedPeople,
      }),
    ),
    roles: times(sizes.roles, (index) => document('Role', `role-${index}`, {})),
    memberships: times(sizes.memberships + changes.newMemberships, (index) => {
      const { role, person } = pair(index, sizes.roles, sizes.people);
      return document('RoleMembership', `membership-${index}`, { role: `role-${role}`, person: `person-${person}` });
    }),
    permissions: times(sizes.permissions + changes.newPermissions, (index) =>
      document('Permission', `permission-${index}`, {
        person: `person-${index % sizes.people}`,
        dataSource: `source-${Math.floor(index / sizes.people) % sizes.dataSources}`,
        startsAt: '2026-01-01T00:00:00Z',
        expiresAt: '2046-01-01T00:00:00Z',
      }),
    ),
    snippets: times(sizes.snippets, (index) =>
      document('Snippet', `snippet-${index}`, {
        text: `select ${index}`,
        publicAccessLevel: index < changes.openedSnippets ? 'read_only' : 'none',
      }),
    ),
  };
  for (const [name, documents] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.yaml`), documents.join('---\n'));
  }
}

/** Spreads memberships so that no role has the same person twice. */
function pair(index: number, roles: number, people: number) {
  const round = Math.floor(index / roles);
  return { role: index % roles, person: ((index % roles) * Math.floor(people / roles) + round) % people };
}

function times(count: number, make: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function document(kind: string, name: string, spec: Record<string, string | boolean>): string {
  const fields = Object.entries(spec).map(([field, value]) => `  ${field}: ${JSON.stringify(value)}\n`);
  const written = fields.length === 0 ? 'spec: {}\n' : `spec:\n${fields.join('')}`;
  return `apiVersion: rolecall.dev/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${written}`;
}
