/** Memberships that go from a list to resources for single members, the other way, or to another list. */

import { DiagnosticError, failure } from '../../plugin/framework/diagnostics.ts';
import { type Private, stateKey, type VerbContext } from '../../plugin/framework/resource.ts';
import type { Handover } from '../../workspace/planned-members.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type MemberKind, membershipId } from './member-kind.ts';

/** Shown once for a role, however many members it has. */
class HandoverError extends DiagnosticError {
  override name = 'HandoverError';
  override readonly isShared = true;
}

/**
 * Refuses a plan by which someone would leave a role though a resource of the same plan has them in it.
 *
 * @throws DiagnosticError where there is such a membership
 */
export async function refuseHandover(
  kind: MemberKind,
  handover: Handover | undefined,
  workspace: Workspace,
): Promise<void> {
  // While applying, what is out already is put in again.
  if (handover === undefined || workspace.removed.has(membershipId(handover.role, handover.member))) return;
  const { from, to, role, member } = handover;
  const { noun, plural, one, all } = kind;
  const roleName = workspace.isKnown ? (await workspace.before.roles()).byId.get(role)?.name : undefined;
  const inRole = `the role ${roleName ?? role}`;
  const types = { list: `rolecall_role_${all}`, single: `rolecall_role_${one}` };
  const name = (workspace.isKnown ? await memberName(kind, member, workspace) : undefined) ?? member;
  const forget = `Forget the ${types[from]} instead: by a removed block with destroy = false, or, where other instances of it stay, by terraform state rm.`;
  const remedies = {
    list: `${forget} Who is not to keep the role is taken out of the list before that, by an apply of its own. If the list goes on with another role, give it another address there.`,
    single: `${forget} The list takes out whom it does not name.`,
    lists: `Leave each list with its role, and change its ${one}_ids.`,
  };
  const taken = from === to ? `another ${types.list}` : `a ${types[to]}`;
  throw new HandoverError(
    failure(
      `${plural.charAt(0).toUpperCase()}${plural.slice(1)} would leave ${inRole} for a moment`,
      `This plan ends a ${types[from]} of ${inRole}, and ${taken} is to have the same ${plural} there, such as the ${noun} ${name}, as far as ids are known. Terraform may end the one before it makes the other, and access would be interrupted. ${remedies[from === to ? 'lists' : from]}`,
    ),
  );
}

/**
 * What the plan of a replacement remembers for its removal, which Terraform begins with. Nothing is taken out then, and the creation
 * puts right what differs.
 *
 * @param id of a list or a membership
 */
export const stays = (id: string): Private => ({ stays: id });

export const staysWith = (planned: Private, id: string): boolean => planned['stays'] === id;

/** Whether a create takes the place of what its own resource has: by -replace or replace_triggered_by, or because it is tainted. */
export function isReplacement(
  type: string,
  id: string,
  before: Private,
  { refreshed }: VerbContext<Workspace>,
): boolean {
  return before['id'] === id || before['claim'] !== undefined || refreshed.has(stateKey(type, id));
}

async function memberName({ collection }: MemberKind, id: string, { before }: Workspace): Promise<string | undefined> {
  if (collection === 'people') return (await before.people()).byId.get(id)?.username;
  const dataSource = (await before.dataSources()).byId.get(id);
  return dataSource?.alias ?? dataSource?.name;
}
