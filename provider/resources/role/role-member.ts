import type {
  Applied,
  Listed,
  Planned,
  PlanRequest,
  Resource,
  StoredObject,
  UpdateRequest,
  VerbContext,
} from '../../plugin/framework/resource.ts';
import type { Schema } from '../../plugin/framework/schema.ts';
import { type ObjectValue, unknown, type Value } from '../../plugin/values/value.ts';
import {
  dataSourceMember,
  type MemberKind,
  membershipId,
  membershipOf,
  personMember,
} from '../../workspace/members.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, hold, isManaged, orRenamed } from '../shared/adoption.ts';
import { adopt as adoptAttribute, idAttribute, reference } from '../shared/attributes.ts';
import { changedTooLate, endedMeanwhile, grantedAgain, refusePast } from '../shared/past-window.ts';
import { checkReferences } from '../shared/references.ts';
import { needText, textOf } from '../shared/values.ts';
import { hasReadableTimes, isOver, validateTimes } from '../shared/window.ts';
import { enterMemberships, listOf } from './handover.ts';
import {
  hasWindow,
  holdsAt,
  isSameWindow,
  isTimed,
  needTimes,
  planTimes,
  severalWindows,
  timeAttributes,
  timesOf,
  windowChange,
  windowToSet,
} from './membership-times.ts';
import {
  addStep,
  findMembership,
  type Member,
  membersOf,
  noSuchRole,
  referencesOf,
  removeMembers,
  roleOf,
} from './memberships.ts';
import { isReplacement, stays, staysWith } from './replacement.ts';

/** Mark of a membership that is gone before its end: its window stays in the state, and is given again. */
const revoked = { revoked: 'before its end' } as const;
/** Mark of a membership to which another hand gave other times: those may end at a moment that is over. */
const drifted = { drifted: 'to other times' } as const;

/** One person or data source in a role. Other members are left alone. */
function roleMember(kind: MemberKind): Resource<Workspace> {
  const { memberId } = kind;
  return {
    type: kind.types.single,
    schema: schemaOf(kind),

    identity: ['role_id', memberId],
    listing: {
      filters: ['role_id', memberId],
      list: ({ workspace }, config) => listMemberships(kind, workspace, config['role_id'] ?? undefined),
    },

    ...(kind.hasTimes ? { validate: validateTimes } : {}),

    plan: (request, context) => planMembership(kind, request, context),

    planDestroy: async ({ state }, { workspace }) => {
      if (workspace.ledger.has({ type: kind.types.single, id: needText(state, 'id') }, 'adopted')) return;
      await leave(kind, state, workspace);
      const member = await memberIn(kind, state, workspace);
      if (member !== undefined)
        await workspace.removals.removeMembers(needText(state, 'role_id'), kind.collection, [member.name]);
    },

    create: async ({ planned }, { workspace }) => {
      const [role, member] = [needText(planned, 'role_id'), needText(planned, memberId)];
      return putIn(kind, role, member, planned, workspace);
    },

    read: (request, context) => readMembership(kind, request, context),

    update: (request, { workspace }) => changeMembership(kind, request, workspace),

    remove: async ({ state, private: planned }, { workspace }) => {
      if (staysWith(planned, needText(state, 'id'))) return;
      await removeMembers(kind, needText(state, 'role_id'), [needText(state, memberId)], workspace);
    },

    importedBy: `role and ${kind.noun}, each an identifier or a name, as in analysts/${kind.hasTimes ? 'ada' : 'billing'}`,
    import: async ({ id }, { workspace, report }) => {
      const membership = await findMembership(kind, id, workspace);
      if (membership === undefined) return { state: null };
      const { role, member, windows } = membership;
      const several = severalWindows(membershipId(role, member), windows);
      if (several !== undefined) report(several);
      const times = kind.hasTimes ? timesOf(windows, {}) : {};
      return { state: { id: membershipId(role, member), role_id: role, [memberId]: member, ...times, adopt: null } };
    },
  };
}

function schemaOf(kind: MemberKind): Schema {
  const { memberId } = kind;
  const times = kind.hasTimes
    ? ' A person may have the role for a time, which the workspace begins and ends by itself. A membership that is over stays in the state and makes no plan.'
    : '';
  return {
    version: 0,
    description: `One ${kind.noun} in a role. Additive: other members are left alone. Do not use it for a role whose members \`${kind.types.list}\` manages, which would remove this one again.${times}`,
    attributes: {
      id: { ...idAttribute('membership'), description: `\`role_id/${memberId}\`.` },
      role_id: reference('role'),
      [memberId]: reference(kind.noun),
      ...(kind.hasTimes ? timeAttributes : {}),
      adopt: adoptAttribute('membership'),
    },
  };
}

/** The memberships of a role, or of all roles, under the names that `terraform query` shows. */
async function listMemberships(kind: MemberKind, workspace: Workspace, only: Value | undefined): Promise<Listed[]> {
  const { all } = await workspace.view().roles();
  const roles = only === undefined ? all : all.filter(({ id }) => id === only);
  const lists = await Promise.all(
    roles.map(async (role) =>
      ((await membersOf(kind, role.id, workspace, 'now')) ?? []).map(({ id, name }) => ({
        name: `${role.name}/${name}`,
        attributes: { role_id: role.id, [kind.memberId]: id },
      })),
    ),
  );
  return lists.flat();
}

async function readMembership(
  kind: MemberKind,
  { state, private: before }: StoredObject,
  { workspace, report }: VerbContext<Workspace>,
): Promise<Applied> {
  const members = await membersOf(kind, needText(state, 'role_id'), workspace, 'now');
  const member = members?.find(({ id }) => id === state[kind.memberId]);
  if (!kind.hasTimes) return { state: member === undefined ? null : state };
  const id = needText(state, 'id');
  if (member === undefined) return gone(state, id, workspace);
  const several = severalWindows(id, member.windows);
  if (several !== undefined) report(several);
  const times = timesOf(member.windows, state);
  const isOther = before['drifted'] !== undefined || !isSameWindow(times, state);
  return { state: { ...state, ...times }, private: { id, ...(isOther ? drifted : {}) } };
}

/** Make before break: the new membership stands before the old one goes. */
async function changeMembership(
  kind: MemberKind,
  { prior, planned }: UpdateRequest,
  workspace: Workspace,
): Promise<Applied> {
  const { memberId } = kind;
  const priorPair = [needText(prior, 'role_id'), needText(prior, memberId)] as const;
  const plannedPair = [needText(planned, 'role_id'), needText(planned, memberId)] as const;
  const isOther = membershipId(...priorPair) !== membershipId(...plannedPair);
  const isSame = isSameWindow(prior, planned);
  // Its id is unknown where it is to be given again.
  if (!isOther && isSame && textOf(planned, 'id') !== undefined) return { state: planned };
  const isPast = isSame && isOver(textOf(planned, 'expires_at'), workspace.now());
  const made = isPast
    ? { state: { ...planned, id: membershipId(...plannedPair) } }
    : await putIn(kind, ...plannedPair, planned, workspace, prior);
  if (isOther) await removeMembers(kind, priorPair[0], [priorPair[1]], workspace);
  return made;
}

/** A membership that is over may be removed in the workspace: that is no drift, and it must not be given again. */
function gone(state: ObjectValue, id: string, workspace: Workspace): Applied {
  if (isOver(textOf(state, 'expires_at'), workspace.now())) return { state };
  // A create would count the duration from now on, and lengthen what was given.
  if (textOf(state, 'duration') === undefined || !hasReadableTimes(state)) return { state: null };
  return { state, private: { id, ...revoked } };
}

/** Puts a member into a role, for the planned time. @param prior what it was before, where it changes */
async function putIn(
  kind: MemberKind,
  role: string,
  member: string,
  planned: ObjectValue,
  workspace: Workspace,
  prior?: ObjectValue,
): Promise<Applied> {
  const id = membershipId(role, member);
  const now = workspace.now();
  workspace.ledger.note(membershipOf(kind, role, member), 'adopted');
  if (prior === undefined && isTimed(planned)) {
    const present = (await membersOf(kind, role, workspace, 'before'))?.find((candidate) => candidate.id === member);
    if (present !== undefined && hasWindow(present.windows, planned, now))
      return { state: { ...planned, ...timesOf(present.windows, planned), id }, private: { id } };
    const end = windowToSet(planned, now)?.expiresAt;
    if (isOver(end, now)) throw endedMeanwhile(planned);
  }
  const window = kind.hasTimes ? windowToSet(planned, now) : undefined;
  await workspace.run([addStep(kind, role, member, window)]);
  if (!kind.hasTimes) return { state: { ...planned, id }, private: { id } };
  return { state: { ...planned, ...timesOf(window && [window], planned), id }, private: { id } };
}

async function planMembership(
  kind: MemberKind,
  request: PlanRequest,
  context: VerbContext<Workspace>,
): Promise<Planned> {
  const { memberId } = kind;
  const { prior } = request;
  const { workspace } = context;
  const planned = kind.hasTimes ? { ...request.planned, ...planTimes(request) } : request.planned;
  const role = textOf(planned, 'role_id');
  const member = textOf(planned, memberId);
  const isNew = prior === null || !isSameWindow(prior, planned);
  if (isNew && isTimed(planned) && workspace.isKnown) await needTimes(planned, workspace);
  await checkReferences(referencesOf(kind, memberId), request, workspace);
  // Where a person is replaced, the memberships that there are get other ids, and are no new ones.
  if (role !== undefined && (prior === null || member !== undefined) && holdsAt(planned, workspace.now()))
    await enterMemberships('had by single', kind, role, [member], workspace);
  if (role === undefined || member === undefined) return { planned: { ...planned, id: unknown } };
  const id = membershipId(role, member);
  const next = { ...planned, id };
  const membership = { ...membershipOf(kind, role, member), path: [memberId] };
  await workspace.ledger.enter(listOf(kind, role, workspace), 'single');
  await hold(membership, request, workspace);
  if (prior?.['id'] === id) await workspace.ledger.enter(membership, 'kept');
  if (prior !== null && prior['id'] !== id) {
    await workspace.ledger.enter(membership, 'arriving');
    await leave(kind, prior, workspace);
    await countLeaving(kind, prior, member, workspace);
  }
  if (prior?.['id'] === id) await countPostponed(kind, prior, next, workspace);
  if (prior !== null) return planChange(next, prior, request, context);
  if (!workspace.isKnown) return { planned: next };
  const members = await membersOf(kind, role, workspace, 'before');
  if (members === undefined) throw noSuchRole(role);
  const present = members.find(({ id }) => id === member);
  if (present === undefined) {
    refusePast('membership', next, workspace);
    return { planned: next };
  }
  const there = existingMember(kind, role, present, windowChange(present.windows, next, workspace.now()));
  if (there.changes.length > 0) refusePast('membership', next, workspace);
  // One that is replaced is planned as a create, too, and finds itself.
  const isOwn = request.private['id'] === id;
  if (!isOwn && !(await isManaged(there, context)))
    await orRenamed(there, () => adopt(there, planned, context), workspace);
  // A duration begins again.
  if ((planned['duration'] ?? null) !== null || !isReplacement(there.type, id, request.private, context))
    return { planned: next };
  return { planned: next, private: stays(id) };
}

/**
 * Enters that a plan ends a membership.
 *
 * @throws DiagnosticError when another resource of the plan has it or takes it over
 */
async function leave(kind: MemberKind, state: ObjectValue, workspace: Workspace): Promise<void> {
  const [role, member] = [needText(state, 'role_id'), needText(state, kind.memberId)];
  // A role that this command deleted has no members any more.
  if (workspace.ledger.has(roleOf(role), 'removed')) return;
  await workspace.ledger.enter(membershipOf(kind, role, member), 'leaving');
  if (holdsAt(state, workspace.now())) await enterMemberships('given up by single', kind, role, [member], workspace);
}

/**
 * Counts who leaves a role because their membership becomes another one. Those who were deleted count as that.
 *
 * @param next whose membership it becomes
 */
async function countLeaving(kind: MemberKind, prior: ObjectValue, next: string, workspace: Workspace): Promise<void> {
  const { ledger, removals } = workspace;
  const [role, member] = [needText(prior, 'role_id'), await memberIn(kind, prior, workspace)];
  if (member === undefined || ledger.has({ type: kind.type, id: member.id }, 'removed')) return;
  if (ledger.has(membershipOf(kind, role, member.id), 'adopted')) return;
  const leaving = [role, kind.collection, [member.name]] as const;
  await (member.id === next ? removals.moveMembers(...leaving) : removals.removeMembers(...leaving));
}

/** Counts who has the role at this moment, and by other times would have it later or no more. */
async function countPostponed(
  kind: MemberKind,
  prior: ObjectValue,
  next: ObjectValue,
  workspace: Workspace,
): Promise<void> {
  const now = workspace.now();
  if (!workspace.isKnown || !holdsAt(prior, now) || holdsAt(next, now)) return;
  const member = await memberIn(kind, prior, workspace);
  if (member !== undefined)
    await workspace.removals.removeMembers(needText(prior, 'role_id'), kind.collection, [member.name]);
}

/** The member of a state, as far as it was in the role before this command. */
async function memberIn(kind: MemberKind, state: ObjectValue, workspace: Workspace): Promise<Member | undefined> {
  const members = await membersOf(kind, needText(state, 'role_id'), workspace, 'before');
  return members?.find(({ id }) => id === state[kind.memberId]);
}

/** Plans the change of a membership that there is. */
function planChange(
  next: ObjectValue,
  prior: ObjectValue,
  { config, private: before }: PlanRequest,
  { workspace, report }: VerbContext<Workspace>,
): Planned {
  const { revoked: wasRevoked, ...remembered } = before;
  const memory = { private: { ...remembered, id: needText(prior, 'id') } };
  const isPast = isOver(textOf(next, 'expires_at'), workspace.now());
  if (wasRevoked !== undefined && !isPast) {
    report(grantedAgain('membership', next));
    return { planned: { ...next, id: unknown }, ...memory };
  }
  // What another hand lengthened may end at once: that is what is declared.
  if (isPast && before['drifted'] === undefined && !isSameWindow(prior, next))
    throw changedTooLate('membership', prior, next, config);
  return { planned: next, ...memory };
}

function existingMember(kind: MemberKind, role: string, { id, name }: Member, change: string | undefined) {
  return {
    type: kind.types.single,
    what: `the ${kind.noun} ${name} in that role`,
    id: membershipId(role, id),
    path: [kind.memberId],
    importId: membershipId(role, id),
    changes: change === undefined ? [] : [change],
  };
}

export const rolePerson = roleMember(personMember);
export const roleDataSource = roleMember(dataSourceMember);
