import { addMember } from '../model/common-steps.ts';
import type { DesiredRoleMembership } from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { emptyDiff } from '../model/step.ts';
import type { Kind, Observation } from './kind.ts';
import type { Located, Scope } from './scope.ts';

export interface ObservedMembership extends Observation {
  role: Located;
  member: Located;
  present: boolean;
}

/** One person or data source in a role; its other members stay as they are. */
export const roleMembershipKind: Kind<DesiredRoleMembership, ObservedMembership> = {
  key: ({ role, member }) =>
    JSON.stringify([
      roleKey(role),
      member.kind,
      member.kind === 'Person' ? personKey(member.username) : dataSourceKey(member.alias),
    ]),

  references: (desired) => [
    { kind: 'Role', name: desired.role },
    { kind: desired.member.kind, name: memberName(desired) },
  ],

  async observe(desired, scope) {
    const role = await scope.locate(desired, 'Role', desired.role);
    const member = await scope.locate(desired, desired.member.kind, memberName(desired));
    return { role, member, present: await isPresent(desired, role, member, scope), claims: [] };
  },

  diff(desired, { role, member, present }) {
    const diff = emptyDiff();
    if ('missing' in role) diff.refusals.push(role.missing);
    if ('missing' in member) diff.refusals.push(member.missing);
    if (present || 'missing' in role || 'missing' in member) return diff;
    const ends = [
      { id: role.id, name: desired.role },
      { id: member.id, name: memberName(desired) },
    ] as const;
    diff.steps.push(addMember(desired.member.kind, ...ends, desired));
    return diff;
  },
};

function memberName({ member }: DesiredRoleMembership): string {
  return member.kind === 'Person' ? member.username : member.alias;
}

/** Reads the role's members only when both ends exist: a role or member that is yet to be made has no membership. */
async function isPresent(desired: DesiredRoleMembership, role: Located, member: Located, scope: Scope) {
  if ('missing' in role || 'missing' in member) return false;
  if (typeof role.id !== 'string' || typeof member.id !== 'string') return false;
  const members =
    desired.member.kind === 'Person' ? await scope.view.rolePeople(role.id) : await scope.view.roleDataSources(role.id);
  return members.byId.has(member.id);
}
