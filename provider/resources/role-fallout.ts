import type { Workspace } from '../workspace/workspace.ts';

/** What goes with a role that is deleted, in words. */
export async function describeRoleFallout(role: string, { before }: Workspace): Promise<string> {
  const [people, dataSources, snippets] = await Promise.all([
    before.rolePeople(role),
    before.roleDataSources(role),
    before.snippets(),
  ]);
  const owned = snippets.all.filter(({ ownerRole }) => ownerRole?.id === role);
  return `With that ${people.all.length} people and ${dataSources.all.length} data sources leave the role, and ${owned.length} snippets lose their owner.`;
}
