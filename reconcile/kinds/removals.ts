import type { Permission } from '@rolecall/api';
import type { ObjectCollection } from '@rolecall/crds';
import type { Claimed } from '../model/claims.ts';
import { deleteStep } from '../model/common-steps.ts';
import type { DesiredState } from '../model/desired.ts';
import type { Step } from '../model/step.ts';
import type { Reader } from '../view/view.ts';
import { removePermission } from './permission.ts';
import { removePerson } from './person.ts';

const reason = 'not declared, and the collection is declared exact';

/**
 * The steps that remove what no definition declares from the collections that are declared exact. What goes with a person or
 * data source that goes anyway gets no step of its own: a run makes as few calls as there are changes.
 *
 * @param kept ids of what stays all the same, since a refusal holds its removal up
 */
export async function removeUndeclared(
  state: DesiredState,
  claimed: Claimed,
  view: Reader,
  kept: ReadonlySet<string>,
): Promise<Step[]> {
  const steps: Step[][] = [];
  const gone = new Set<string>();
  for (const collection of ['people', 'dataSources', 'roles', 'snippets', 'permissions'] as const) {
    if (!state.exact.includes(collection)) continue;
    steps.push(await removersOf[collection](claimed[collection].union(kept), view, gone));
  }
  return steps.flat();
}

type Remover = (claimed: ReadonlySet<string>, view: Reader, gone: Set<string>) => Promise<Step[]>;

const removersOf: Readonly<Record<ObjectCollection, Remover>> = {
  async people(claimed, view, gone) {
    const undeclared = (await view.people()).all.filter(({ id }) => !claimed.has(id));
    for (const { id } of undeclared) gone.add(id);
    return undeclared.flatMap((person) =>
      removePerson(person, { kind: 'Person', name: person.username, undeclared: true }, reason),
    );
  },
  async dataSources(claimed, view, gone) {
    const undeclared = (await view.dataSources()).all.filter(({ id }) => !claimed.has(id));
    for (const { id } of undeclared) gone.add(id);
    return undeclared.map(({ id, name, alias }) => deleteUndeclared('DataSource', id, alias ?? name));
  },
  async roles(claimed, view) {
    const undeclared = (await view.roles()).all.filter(({ id }) => !claimed.has(id));
    // Who loses what with a role decides what must be granted before it goes.
    await Promise.all(undeclared.flatMap(({ id }) => [view.rolePeople(id), view.roleDataSources(id)]));
    return undeclared.map(({ id, name }) => deleteUndeclared('Role', id, name));
  },
  async snippets(claimed, view) {
    const undeclared = (await view.snippets()).all.filter(({ id }) => !claimed.has(id));
    return undeclared.map(({ id, activeVersion }) => deleteUndeclared('Snippet', id, activeVersion.name));
  },
  async permissions(claimed, view, gone) {
    const undeclared = (await view.permissions()).all.filter(
      ({ id, person, dataSource }) => !claimed.has(id) && !gone.has(person.id) && !gone.has(dataSource.id),
    );
    return undeclared.map((permission) =>
      removePermission(
        permission,
        { kind: 'Permission', name: permissionName(permission), undeclared: true },
        reason,
        [],
      ),
    );
  },
};

/** The steps that end what an earlier run granted for its own time. This one may need it until the new access is there. */
export async function endBridges({ bridges = new Set() }: DesiredState, view: Reader): Promise<Step[]> {
  if (bridges.size === 0) return [];
  const { byId } = await view.permissions();
  const left = [...bridges].flatMap((id) => byId.get(id) ?? []);
  return left.map((permission) => {
    const object = { kind: 'Permission', name: permissionName(permission), undeclared: true } as const;
    return {
      ...removePermission(permission, object, 'an earlier run granted it for its own time', []),
      effect: 'replace',
    };
  });
}

/** Leaves out the calls that take a member out of what is deleted anyway, or out of whom. */
export function withoutImplied(steps: readonly Step[]): Step[] {
  const deleted = new Set(
    steps
      .filter(({ effect, operation }) => effect === 'remove' && operation.startsWith('delete'))
      .flatMap(({ params }) => Object.values(params)),
  );
  return steps.filter(
    ({ operation, params }) =>
      (operation !== 'removeRolePerson' && operation !== 'removeRoleDataSource') ||
      !Object.values(params).some((id) => deleted.has(id)),
  );
}

/** Undeclared permissions have no name of their own. */
function permissionName({ person, dataSource }: Permission): string {
  return `${person.username}/${dataSource.alias ?? dataSource.name}`;
}

function deleteUndeclared(kind: 'DataSource' | 'Role' | 'Snippet', id: string, name: string): Step {
  return deleteStep({ kind, id, name }, { kind, name, undeclared: true }, reason);
}
