import type { Workspace } from '../workspace/workspace.ts';
import { all } from './all.ts';

/**
 * Gives a new role the members and snippets of an old one. Each call can be repeated: a run that was killed in the
 * middle is finished by the next.
 */
export async function fillNewRole(old: string, made: string, workspace: Workspace): Promise<void> {
  const view = workspace.view();
  const [people, dataSources, snippets] = await Promise.all([
    view.rolePeople(old),
    view.roleDataSources(old),
    view.snippets(),
  ]);
  // Data sources last would leave people in a role that reaches nothing, but they still have the old one.
  await all([
    ...people.all.map(({ id }) => workspace.call('addRolePerson', { params: { role: made, person: id } })),
    ...dataSources.all.map(({ id }) => workspace.call('addRoleDataSource', { params: { role: made, dataSource: id } })),
    ...snippets.all
      .filter(({ ownerRole }) => ownerRole?.id === old)
      .map(({ id, publicAccessLevel }) =>
        workspace.call('updateSnippet', {
          params: { snippet: id },
          body: { publicAccessLevel, owner: 'role', ownerRoleId: made, ownerPersonId: null },
        }),
      ),
  ]);
}
