import type { Planned, PlanRequest, Resource, VerbContext } from '../plugin/framework/resource.ts';
import { unknown } from '../plugin/values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopt, hold, isManaged, keep, leave } from './adoption.ts';
import { adopt as adoptAttribute, idAttribute, reference } from './attributes.ts';
import {
  addStep,
  bothForms,
  dataSourceMember,
  findMembership,
  leavesList,
  type Member,
  type MemberKind,
  membershipId,
  membersOf,
  noSuchRole,
  personMember,
  removeMembers,
  roleKeyOf,
} from './member-kind.ts';
import { checkReferences } from './references.ts';
import { needText, textOf } from './values.ts';

/** One person or data source in a role. Other members are left alone. */
function roleMember(kind: MemberKind): Resource<Workspace> {
  const memberId = `${kind.one}_id`;
  return {
    type: `rolecall_role_${kind.one}`,
    schema: {
      version: 0,
      description: `One ${kind.noun} in a role. Additive: other members are left alone. Do not use it for a role whose members \`rolecall_role_${kind.all}\` manages, which would remove this one again.`,
      attributes: {
        id: { ...idAttribute('membership'), description: `\`role_id/${memberId}\`.` },
        role_id: reference('role'),
        [memberId]: reference(kind.noun),
        adopt: adoptAttribute('membership'),
      },
    },

    identity: ['role_id', memberId],
    listing: {
      filters: ['role_id', memberId],
      list: async ({ workspace }, config) => {
        const roles = (await workspace.view().roles()).all.filter(
          ({ id }) => (config['role_id'] ?? null) === null || config['role_id'] === id,
        );
        const lists = await Promise.all(
          roles.map(async (role) =>
            ((await membersOf(kind, role.id, workspace, 'now')) ?? []).map(({ id, name }) => ({
              name: `${role.name}/${name}`,
              attributes: { role_id: role.id, [memberId]: id },
            })),
          ),
        );
        return lists.flat();
      },
    },

    plan: (request, context) => planMembership(kind, request, context),

    planDestroy: async ({ state }, { workspace }) => {
      const role = needText(state, 'role_id');
      const members = await membersOf(kind, role, workspace, 'before');
      const member = members?.find(({ id }) => id === state[memberId]);
      leave(needText(state, 'id'), `a membership of the role ${role}`, workspace);
      if (workspace.listed.has(needText(state, 'id'))) throw leavesList(kind, role, member?.name ?? '');
      if (member !== undefined) await workspace.removals.removeMembers(role, kind.collection, [member.name]);
    },

    create: async ({ planned }, { workspace }) => {
      const [role, member] = [needText(planned, 'role_id'), needText(planned, memberId)];
      await workspace.run([addStep(kind, role, member)]);
      workspace.adopted.add(membershipId(role, member));
      return { state: { ...planned, id: membershipId(role, member) } };
    },

    read: async ({ state }, { workspace }) => {
      const members = await membersOf(kind, needText(state, 'role_id'), workspace, 'now');
      return { state: members?.some(({ id }) => id === state[memberId]) === true ? state : null };
    },

    // Make before break: the new membership stands before the old one goes.
    update: async ({ prior, planned }, { workspace }) => {
      const before = [needText(prior, 'role_id'), needText(prior, memberId)] as const;
      const after = [needText(planned, 'role_id'), needText(planned, memberId)] as const;
      if (membershipId(...before) === membershipId(...after)) return { state: planned };
      await workspace.run([addStep(kind, ...after)]);
      workspace.adopted.add(membershipId(...after));
      if (!workspace.adopted.has(membershipId(...before))) await removeMembers(kind, before[0], [before[1]], workspace);
      return { state: { ...planned, id: membershipId(...after) } };
    },

    remove: async ({ state }, { workspace }) => {
      const [role, member] = [needText(state, 'role_id'), needText(state, memberId)];
      // Another resource of this command may have put the same member in, and removing it would undo that.
      if (!workspace.adopted.has(membershipId(role, member))) await removeMembers(kind, role, [member], workspace);
    },

    import: async ({ id }, { workspace }) => {
      const membership = await findMembership(kind, id, workspace);
      if (membership === undefined) return { state: null };
      const { role, member } = membership;
      return { state: { id: membershipId(role, member), role_id: role, [memberId]: member, adopt: null } };
    },
  };
}

async function planMembership(
  kind: MemberKind,
  request: PlanRequest,
  context: VerbContext<Workspace>,
): Promise<Planned> {
  const memberId = `${kind.one}_id`;
  const { prior, planned } = request;
  const { workspace } = context;
  const role = textOf(planned, 'role_id');
  const member = textOf(planned, memberId);
  if (role === undefined || member === undefined) return { planned: { ...planned, id: unknown } };
  const id = membershipId(role, member);
  const next = { ...planned, id };
  const held = { what: `the membership ${id}`, path: [memberId] };
  workspace.singles.add(roleKeyOf(kind, role));
  if (workspace.claims.has(roleKeyOf(kind, role))) throw bothForms(kind, role);
  hold(`${kind.one} ${id}`, held, request, workspace);
  if (prior?.['id'] === id) keep(id, held, workspace);
  if (prior !== null) return { planned: next, private: { id: needText(prior, 'id') } };
  if (!workspace.isKnown) return { planned: next };
  const members = await membersOf(kind, role, workspace, 'before');
  if (members === undefined) throw noSuchRole(role);
  await checkReferences([{ kind: kind.noun, attribute: memberId }], request, workspace);
  const present = members.find(({ id }) => id === member);
  if (present === undefined) return { planned: next };
  const there = found(kind, role, present);
  if (!isManaged(there.type, there, context)) await adopt(there, planned, context);
  return { planned: next };
}

function found(kind: MemberKind, role: string, { id, name }: Member) {
  return {
    type: `rolecall_role_${kind.one}`,
    what: `the ${kind.noun} ${name} in that role`,
    id: membershipId(role, id),
    path: [`${kind.one}_id`],
    importId: membershipId(role, id),
  };
}

export const rolePerson = roleMember(personMember);
export const roleDataSource = roleMember(dataSourceMember);
