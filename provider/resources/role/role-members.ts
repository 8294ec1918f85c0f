import { randomUUID } from 'node:crypto';
import { type DesiredRole, listUpTo, roleKind } from '@rolecall/reconcile';
import { refusal, warning } from '../../plugin/framework/diagnostics.ts';
import type { Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { required, type Schema } from '../../plugin/framework/schema.ts';
import { type ObjectValue, unknown } from '../../plugin/values/value.ts';
import { counted, dataSourceMember, type MemberKind, membershipOf, personMember } from '../../workspace/members.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { idAttribute, reference, rules } from '../shared/attributes.ts';
import { declared } from '../shared/engine.ts';
import { checkReferences } from '../shared/references.ts';
import { needText, needTexts, textItems, textOf, textsOf } from '../shared/values.ts';
import { enterMemberships, listOf } from './handover.ts';
import {
  findRole,
  isKeptElsewhere,
  type Member,
  membersOf,
  noSuchRole,
  referencesOf,
  removeMembers,
  roleOf,
} from './memberships.ts';
import { isReplacement, stays, staysWith } from './replacement.ts';

/** All people or data sources of a role: exactly these. The plan names the members that this removes. */
function roleMembers(kind: MemberKind): Resource<Workspace> {
  const { memberIds } = kind;
  return {
    type: kind.types.list,
    schema: schemaOf(kind),

    identity: ['role_id'],
    listing: {
      filters: [],
      list: async ({ workspace }) =>
        (await workspace.view().roles()).all.map(({ id, name }) => ({ name, attributes: { role_id: id } })),
    },

    plan: (request, context) => planMembers(kind, request, context),

    planDestroy: async ({ state }, { workspace }) => {
      const role = needText(state, 'role_id');
      // With create_before_destroy, the replacement has taken the list over by now.
      const list = listOf(kind, role, workspace);
      if (workspace.ledger.has(list, 'adopted')) return;
      await workspace.ledger.enter(list, 'leaving');
      await enterMemberships('given up by list', kind, role, textsOf(state, memberIds) ?? [], workspace);
      await workspace.removals.removeMembers(role, kind.collection, await namesLeaving(kind, state, workspace));
    },

    create: async ({ planned, private: { claim = randomUUID() } }, { workspace }) => {
      const role = needText(planned, 'role_id');
      await claimRole(kind, role, claim, workspace);
      await converge(kind, role, needTexts(planned, memberIds), workspace);
      return { state: { ...planned, id: role }, private: { claim } };
    },

    read: async ({ state }, { workspace }) => {
      const members = await membersOf(kind, needText(state, 'role_id'), workspace, 'now');
      // A listed person has the role always: one who has it for a time is missing, and is added where they are listed.
      const isThere = ({ id, windows }: Member): boolean => windows === undefined || !isIn(state, memberIds, id);
      const ids = members?.filter(isThere).map(({ id }) => id);
      return { state: ids === undefined ? null : { ...state, [memberIds]: ids } };
    },

    update: async ({ prior, planned, private: { claim } }, { workspace }) => {
      const [before, after] = [needText(prior, 'role_id'), needText(planned, 'role_id')];
      await claimRole(kind, after, claim ?? randomUUID(), workspace);
      await converge(kind, after, needTexts(planned, memberIds), workspace);
      if (before !== after) await removeMembers(kind, before, textsOf(prior, memberIds) ?? [], workspace);
      return { state: { ...planned, id: after } };
    },

    remove: async ({ state, private: planned }, { workspace }) => {
      if (staysWith(planned, needText(state, 'id'))) return;
      await removeMembers(kind, needText(state, 'role_id'), textsOf(state, memberIds) ?? [], workspace);
    },

    importedBy: 'the identifier or the name of the role',
    import: async ({ id }, { workspace }) => {
      const role = await findRole(id, workspace);
      const members = role === undefined ? undefined : await membersOf(kind, role, workspace, 'now');
      if (role === undefined || members === undefined) return { state: null };
      const timed = members.filter(({ windows }) => windows !== undefined).map(({ name }) => name);
      if (timed.length > 0) throw membersForATime(timed);
      return { state: { id: role, role_id: role, [memberIds]: members.map((member) => member.id) } };
    },
  };
}

function schemaOf(kind: MemberKind): Schema {
  return {
    version: 0,
    description: `All ${kind.plural} of a role. Authoritative: other members are removed, and the plan names them. One role takes one of these, and no \`${kind.types.single}\` beside it. Destroying it empties the role of these ${kind.plural}.`,
    attributes: {
      id: { ...idAttribute('role'), description: 'The identifier of the role.' },
      role_id: reference('role'),
      [kind.memberIds]: required(
        ['set', 'string'],
        `The identifiers of the ${kind.plural}; \`[]\` for none.`,
        rules.ids,
      ),
    },
  };
}

async function planMembers(
  kind: MemberKind,
  { planned, prior, private: before }: PlanRequest,
  context: VerbContext<Workspace>,
): Promise<Planned> {
  const { memberIds } = kind;
  const { workspace } = context;
  const role = textOf(planned, 'role_id');
  const claim = before['claim'] ?? randomUUID();
  const isReplaced = prior === null && role !== undefined && isReplacement(kind.types.list, role, before, context);
  const next = {
    planned: { ...planned, id: role ?? unknown },
    private: { claim, ...(isReplaced ? stays(role) : {}) },
  };
  const ids = planned[memberIds];
  const wanted = Array.isArray(ids) ? textItems(ids) : [];
  const isOpen = !Array.isArray(ids) || wanted.length < ids.length;
  await checkReferences(referencesOf(kind, memberIds), { prior, planned }, workspace);
  if (role === undefined || !workspace.isKnown) return next;
  await claimRole(kind, role, claim, workspace);
  await enterMemberships('had by list', kind, role, isOpen ? [...wanted, undefined] : wanted, workspace);
  // A role that this command deleted has no members any more.
  const isMoved =
    prior !== null && prior['role_id'] !== role && !workspace.ledger.has(roleOf(needText(prior, 'role_id')), 'removed');
  if (isMoved) await planLeaving(kind, prior, context);
  const members = await membersOf(kind, role, workspace, 'before');
  if (members === undefined && prior === null) throw noSuchRole(role);
  if (!Array.isArray(ids)) return next;
  const others = (members ?? []).filter(
    ({ id }) => !wanted.includes(id) && !workspace.ledger.has(membershipOf(kind, role, id), 'removed'),
  );
  const unlisted = { others, open: ids.length - wanted.length, isNew: prior === null || isMoved };
  await planRemovals(kind, role, unlisted, context);
  return next;
}

/** The members of a role whom a list does not name, and how many of its ids are not known yet: each may be that of one of them. */
interface Unlisted {
  readonly others: readonly Member[];
  readonly open: number;
  /** True if the list is new to the role. */
  readonly isNew: boolean;
}

async function planRemovals(
  kind: MemberKind,
  role: string,
  { others, open, isNew }: Unlisted,
  context: VerbContext<Workspace>,
): Promise<void> {
  if (others.length <= open) return;
  const { removals } = context.workspace;
  if (isNew) await removals.beginList(role, kind.collection, others);
  await warnOfRemovals(kind, role, others, open, context);
  const atLeast = others.slice(open).map(({ name }) => name);
  await removals.removeMembers(role, kind.collection, atLeast);
}

/** Names and counts the members that a list takes out of its role when it goes to another one. */
async function planLeaving(
  kind: MemberKind,
  prior: ObjectValue,
  { workspace, report }: VerbContext<Workspace>,
): Promise<void> {
  const role = needText(prior, 'role_id');
  await enterMemberships('given up by list', kind, role, textsOf(prior, kind.memberIds) ?? [], workspace);
  const names = await namesLeaving(kind, prior, workspace);
  if (names.length === 0) return;
  report(
    warning(
      `Removes ${counted(names.length, kind)} from a role`,
      `The list goes to another role, which takes these ${kind.plural} out of the role ${await nameOf(role, workspace)}: ${names.join(', ')}.`,
      ['role_id'],
    ),
  );
  await workspace.removals.moveMembers(role, kind.collection, names);
}

/** Enters that a list has all members of a role. Each has a claim of its own, so that planning one of them twice is no contradiction. */
async function claimRole(kind: MemberKind, role: string, claim: string, workspace: Workspace): Promise<void> {
  const list = { ...listOf(kind, role, workspace), path: ['role_id'] };
  await workspace.ledger.enter(list, 'listed', claim, claim);
}

async function warnOfRemovals(
  kind: MemberKind,
  role: string,
  leaving: readonly Member[],
  open: number,
  { workspace, report }: VerbContext<Workspace>,
): Promise<void> {
  const names = await Promise.all(
    leaving.map(async ({ id, name: member }) => {
      const write = await workspace.lastWrite(kind.types.single.replace('rolecall_', ''), `${role}/${id}`);
      return write === undefined ? member : `${member} (last written by ${write.manager})`;
    }),
  );
  const unless = open === 0 ? '' : ', unless an id that is not known yet is theirs';
  report(
    warning(
      `Removes ${counted(names.length, kind)} from a role`,
      `These ${kind.plural} are in the role ${await nameOf(role, workspace)} now, are not declared, and will be removed${unless}: ${names.join(', ')}.`,
      [kind.memberIds],
    ),
  );
}

const nameOf = async (role: string, { before }: Workspace): Promise<string> =>
  (await before.roles()).byId.get(role)?.name ?? role;

/** Adds the members that are missing, and removes those that are not wanted. */
async function converge(
  kind: MemberKind,
  role: string,
  wanted: readonly string[],
  workspace: Workspace,
): Promise<void> {
  const desired: DesiredRole = { ...declared, kind: 'Role', name: role, role };
  const members = {
    present: (await membersOf(kind, role, workspace, 'now')) ?? [],
    wanted: wanted.map((id) => ({ name: id, located: { id } })),
    kept: new Set<string>(),
    doubts: [],
  };
  workspace.ledger.note(listOf(kind, role, workspace), 'adopted');
  for (const id of wanted) workspace.ledger.note(membershipOf(kind, role, id), 'adopted');
  const names = { turns: [], refusals: [] };
  const observed = {
    role: { id: role, name: role },
    names,
    isEditable: false,
    people: undefined,
    dataSources: undefined,
  };
  await workspace.run(roleKind.diff(desired, { ...observed, claims: [], [kind.collection]: members }).steps);
}

/** A state that lists them would differ from the role at once, and one that does not would hide that the next apply removes them. */
function membersForATime(names: readonly string[]) {
  return refusal(
    'The role has members for a time',
    `A list gives the role for good, and has no times. These have it for a time: ${listUpTo(10, names)}. Import each member as a rolecall_role_person instead, which has its time; or leave this import out: then the apply gives the role for good to those whom the list names.`,
  );
}

/** The names of those who go with a list and are in its role. */
async function namesLeaving(kind: MemberKind, state: ObjectValue, workspace: Workspace): Promise<string[]> {
  const role = needText(state, 'role_id');
  const members = (await membersOf(kind, role, workspace, 'before')) ?? [];
  // With create_before_destroy, the replacement has them by now.
  return members
    .filter(({ id }) => isIn(state, kind.memberIds, id) && !isKeptElsewhere(kind, role, id, workspace))
    .map(({ name }) => name);
}

function isIn(state: ObjectValue, name: string, id: string): boolean {
  return textsOf(state, name)?.includes(id) === true;
}

export const rolePeople = roleMembers(personMember);
export const roleDataSources = roleMembers(dataSourceMember);
