import type { ListedSnippet, Permission } from '@rolecall/api';
import { addMember } from './membership-step.ts';
import { shortTime } from './permission.ts';
import { ownerFields } from './snippet.ts';
import { idOf, type Note, type Reference, type Step, type StepValue, stepId } from './step.ts';
import type { View } from './view.ts';

interface Replaced {
  id: string;
  to: Reference;
  object: Step['object'];
}

/**
 * Deleting a person takes their memberships and permissions along. For each person who is replaced, this sends the
 * steps that mean the old person to the new one, and adds a step for every grant that falls and is not meant to end.
 */
export async function restoreGrants(steps: readonly Step[], view: View): Promise<{ steps: Step[]; notes: Note[] }> {
  let result = [...steps];
  const notes: Note[] = [];
  for (const replaced of findReplaced(steps)) {
    const fallen = await fallenGrants(replaced, view);
    const ended = endedAnyway(result, replaced, fallen.permissions);
    const redirected = result.filter(({ id }) => !ended.has(id)).map((step) => redirect(step, replaced));
    const restored = [
      ...fallen.roles
        .filter(({ id }) => !removes(result, id) && !leavesRole(result, replaced, id))
        .map((role) => made(addMember('Person', role, { id: replaced.to, name: fallen.username }, replaced.object))),
      ...fallen.permissions
        .filter(({ id, dataSource }) => !ended.has(stepId('deletePermission', id)) && !removes(result, dataSource.id))
        .map((permission) => regrant(permission, replaced, fallen.username)),
      ...fallen.snippets
        .filter(({ id }) => !removes(result, id) && !result.some((step) => step.id === stepId('updateSnippet', id)))
        .map((snippet) => reown(snippet, replaced, fallen.username)),
    ];
    notes.push({
      object: `${replaced.object.kind}/${replaced.object.name}`,
      message: replacementNote(restored.length),
    });
    result = [...redirected, ...restored];
  }
  return { steps: result, notes };
}

function findReplaced(steps: readonly Step[]): Replaced[] {
  return steps.flatMap((step) => {
    if (step.operation !== 'deletePerson' || step.effect !== 'replace') return [];
    const create = steps.find(
      ({ operation, object }) => operation === 'createPerson' && object.name === step.object.name,
    );
    if (create?.makes === undefined) return [];
    return [{ id: idOf(step.params['person']), to: { ref: create.makes }, object: step.object }];
  });
}

async function fallenGrants({ id, object }: Replaced, view: View) {
  const [people, roles, permissions, snippets] = await Promise.all([
    view.people(),
    view.personRoles(id),
    view.permissions(),
    view.snippets(),
  ]);
  return {
    username: people.byId.get(id)?.username ?? object.name,
    roles: roles.map((role) => ({ id: role.id, name: role.name })),
    permissions: permissions.all.filter(({ person }) => person.id === id),
    snippets: snippets.all.filter(({ ownerPerson }) => ownerPerson?.id === id),
  };
}

function leavesRole(steps: readonly Step[], { id }: Replaced, role: string): boolean {
  return steps.some(
    ({ operation, params }) => operation === 'removeRolePerson' && params['person'] === id && params['role'] === role,
  );
}

/** What a reviewer must know: until the run is through, only the plan knows of grants that no definition declares. */
function replacementNote(restored: number): string {
  const fall = `${restored} ${restored === 1 ? 'grant or snippet falls and is' : 'grants and snippets fall and are'} made again`;
  return `is deleted and created again: ${restored === 0 ? 'no grants fall' : fall}; editors are lost, and if the run is interrupted, so are grants that are not declared`;
}

/** Steps that take from the old person what falls with them anyway. */
function endedAnyway(steps: readonly Step[], { id }: Replaced, permissions: readonly Permission[]): Set<string> {
  const theirs = new Set(permissions.map((permission) => permission.id));
  const ended = steps.filter(
    ({ operation, params }) =>
      (operation === 'removeRolePerson' && params['person'] === id) ||
      (operation === 'deletePermission' && theirs.has(idOf(params['permission']))),
  );
  return new Set(ended.map((step) => step.id));
}

/** Whether a step deletes the role, data source or snippet with this id. */
function removes(steps: readonly Step[], id: string): boolean {
  return steps.some(({ operation, params }) => {
    if (operation === 'deleteRole') return params['role'] === id;
    if (operation === 'deleteDataSource') return params['dataSource'] === id;
    return operation === 'deleteSnippet' && params['snippet'] === id;
  });
}

function redirect(step: Step, { id, to, object }: Replaced): Step {
  // The steps of the replacement itself mean the old person.
  if (step.effect === 'replace' && step.object.name === object.name && step.params['person'] === id) return step;
  const swap = <T extends StepValue>(value: T): T | Reference => (value === id ? to : value);
  const params = Object.fromEntries(Object.entries(step.params).map(([name, value]) => [name, swap(value)]));
  if (step.body === undefined) return { ...step, params };
  const body = Object.fromEntries(Object.entries(step.body).map(([name, value]) => [name, swap(value)]));
  return { ...step, params, body };
}

const again = 'falls with the person who is replaced, and is made again';

function made(step: Step): Step {
  return { ...step, effect: 'replace', reason: again };
}

function regrant(
  { startsAt, expiresAt, dataSource, id }: Permission,
  { to, object }: Replaced,
  username: string,
): Step {
  const name = dataSource.alias ?? dataSource.name;
  return {
    id: stepId('createPermission', 'again', id),
    operation: 'createPermission',
    params: { dataSource: dataSource.id, person: to },
    body: { duration: (Date.parse(expiresAt) - Date.parse(startsAt)) / 1000, startsAt },
    object,
    summary: `grant ${username} ${name} from ${shortTime(startsAt)} to ${shortTime(expiresAt)} again`,
    reason: again,
    effect: 'replace',
    after: [],
  };
}

function reown(
  { id, activeVersion, publicAccessLevel }: ListedSnippet,
  { to, object }: Replaced,
  username: string,
): Step {
  return {
    id: stepId('updateSnippet', id),
    operation: 'updateSnippet',
    params: { snippet: id },
    body: { publicAccessLevel, ...ownerFields({ kind: 'Person', username }, to) },
    object,
    summary: `give the snippet ${activeVersion.name} back to ${username}`,
    reason: again,
    effect: 'replace',
    after: [],
  };
}
