import { collectionWords, type Rails } from '@rolecall/crds';
import type { DesiredState } from '../model/desired.ts';
import { idOf, listUpTo, type Refusal, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';
import type { Cascade } from './cascade.ts';

interface Removal {
  /** What the rail calls the collection: `permissions`, `people in analysts`. */
  collection: string;
  /** What the override token calls it. */
  token: string;
  removed: string[];
  size: number;
}

/**
 * Refuses a run that would remove more than the allowed share of a collection: the usual cause is a broken checkout or
 * a wrong folder, not a wish to take half the company's access away.
 */
export async function checkRemovalShare(
  state: DesiredState,
  steps: readonly Step[],
  cascade: readonly Cascade[],
  view: View,
): Promise<Refusal[]> {
  const removals = await collectRemovals(steps, cascade, view);
  return removals
    .filter(({ removed, size }) => exceeds(removed.length, size, state.rails))
    .map((removal) => refuse(removal, state.rails));
}

/** Whether a run that removes so many of a collection of that size is refused. */
export function exceeds(removed: number, size: number, { maxRemovalPercent, minimumCollection }: Rails): boolean {
  return size >= minimumCollection && removed * 100 > size * maxRemovalPercent;
}

const deletions = {
  deletePerson: 'people',
  deleteRole: 'roles',
  deleteDataSource: 'dataSources',
  deletePermission: 'permissions',
  deleteSnippet: 'snippets',
} as const;

async function collectRemovals(steps: readonly Step[], cascade: readonly Cascade[], view: View): Promise<Removal[]> {
  const removals = new Map<string, Removal>();
  const add = (collection: string, token: string, size: number, name: string) => {
    const removal = removals.get(token) ?? { collection, token, removed: [], size };
    removals.set(token, removal);
    removal.removed.push(name);
  };
  for (const step of steps) {
    // A replacement makes the object again; it is no removal.
    if (step.effect !== 'remove' && step.effect !== 'revoke') continue;
    if (Object.hasOwn(deletions, step.operation)) {
      const collection = deletions[step.operation as keyof typeof deletions];
      add(collectionWords[collection], collection, (await view[collection]()).all.length, step.object.name);
    } else if (step.operation === 'removeRolePerson' || step.operation === 'removeRoleDataSource') {
      const members = await membersOf(step, view);
      add(`${members.words} in ${members.role}`, `${members.role}/${members.what}`, members.size, step.summary);
    }
  }
  for (const { step, permissions, members } of cascade) {
    for (const { person, dataSource } of permissions) {
      const name = `${person.username}/${dataSource.alias ?? dataSource.name}`;
      add('permissions', 'permissions', (await view.permissions()).all.length, name);
    }
    if (step.operation !== 'deleteRole') continue;
    const size = (await view.rolePeople(idOf(step.params['role']))).all.length;
    for (const { username } of members) {
      add(`people in ${step.object.name}`, `${step.object.name}/people`, size, username);
    }
  }
  return [...removals.values()];
}

async function membersOf(step: Step, view: View) {
  const roleId = idOf(step.params['role']);
  const role = (await view.roles()).byId.get(roleId)?.name ?? roleId;
  return step.operation === 'removeRolePerson'
    ? { role, what: 'people', words: 'people', size: (await view.rolePeople(roleId)).all.length }
    : { role, what: 'dataSources', words: 'data sources', size: (await view.roleDataSources(roleId)).all.length };
}

function refuse({ collection, token, removed, size }: Removal, rails: Rails): Refusal {
  const percent = Math.round((removed.length / size) * 100);
  return {
    rail: 'removal-share',
    objects: removed,
    message: `this would remove ${removed.length} of the ${size} ${collection} (${percent} %, allowed are ${rails.maxRemovalPercent} %): ${listUpTo(10, removed)}`,
    remedy:
      'check that all definitions were given; if the removal is meant, raise spec.rails.maxRemovalPercent of the Workspace until it is done',
    override: `removal-share:${token}`,
  };
}
