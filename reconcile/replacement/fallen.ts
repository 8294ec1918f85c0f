import { ownerFields } from '../kinds/snippet.ts';
import { addMember } from '../model/membership-step.ts';
import { type Reference, type Step, stepId } from '../model/step.ts';
import { shortTime } from '../model/window.ts';
import type { View } from '../view/view.ts';
import type { Fallen } from './journal.ts';

/** Who gets back what fell. */
export interface Restoring {
  to: string | Reference;
  username: string;
  object: Step['object'];
  reason: string;
}

/** Everything that the service deletes, or leaves without an owner, along with a person. */
export async function readFallen(person: string, view: View): Promise<Fallen> {
  const [roles, permissions, snippets] = await Promise.all([
    view.personRoles(person),
    view.permissions(),
    view.snippets(),
  ]);
  return {
    roles: roles.map(({ id, name }) => ({ id, name })),
    permissions: permissions.all
      .filter((permission) => permission.person.id === person)
      .map(({ id, dataSource, startsAt, expiresAt }) => ({
        id,
        dataSource: { id: dataSource.id, name: dataSource.alias ?? dataSource.name },
        startsAt,
        expiresAt,
      })),
    snippets: snippets.all
      .filter(({ ownerPerson }) => ownerPerson?.id === person)
      .map(({ id, activeVersion, publicAccessLevel }) => ({ id, name: activeVersion.name, publicAccessLevel })),
  };
}

export const countFallen = ({ roles, permissions, snippets }: Fallen): number =>
  roles.length + permissions.length + snippets.length;

/** The steps that make again what fell. */
export function restoreFallen({ roles, permissions, snippets }: Fallen, restoring: Restoring): Step[] {
  return [
    ...roles.map((role) => rejoin(role, restoring)),
    ...permissions.map((permission) => regrant(permission, restoring)),
    ...snippets.map((snippet) => reown(snippet, restoring)),
  ];
}

function rejoin(role: Fallen['roles'][number], { to, username, object, reason }: Restoring): Step {
  return { ...addMember('Person', role, { id: to, name: username }, object), effect: 'replace', reason };
}

function regrant(
  { id, dataSource, startsAt, expiresAt }: Fallen['permissions'][number],
  { to, username, object, reason }: Restoring,
): Step {
  return {
    id: regrantId(id),
    operation: 'createPermission',
    params: { dataSource: dataSource.id, person: to },
    body: { duration: (Date.parse(expiresAt) - Date.parse(startsAt)) / 1000, startsAt },
    object,
    summary: `grant ${username} ${dataSource.name} from ${shortTime(startsAt)} to ${shortTime(expiresAt)} again`,
    reason,
    effect: 'replace',
    after: [],
  };
}

/** Of the permission that fell, so that it is the same call whichever run makes it. */
const regrantId = (permission: string): string => stepId('createPermission', 'again', permission);

function reown(
  { id, name, publicAccessLevel }: Fallen['snippets'][number],
  { to, username, object, reason }: Restoring,
): Step {
  return {
    id: stepId('updateSnippet', id),
    operation: 'updateSnippet',
    params: { snippet: id },
    body: { publicAccessLevel, ...ownerFields({ kind: 'Person', username }, to) },
    object,
    summary: `give the snippet ${name} back to ${username}`,
    reason,
    effect: 'replace',
    after: [],
  };
}
