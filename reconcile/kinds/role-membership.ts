import type { MembershipWindow } from '@rolecall/api';
import { addMember, removeMember, setWindows } from '../model/common-steps.ts';
import { type DesiredRoleMembership, label } from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { areSameWindows, holds, holdsYet, inOrder, isEnded } from '../model/membership-window.ts';
import { type Diff, emptyDiff, idOf, type Step } from '../model/step.ts';
import { declaredTimes, type Presence } from './declared-times.ts';
import type { Kind, Observation } from './kind.ts';
import type { Located, Scope } from './scope.ts';

export interface ObservedMembership extends Observation {
  role: Located;
  member: Located;
  present: Presence;
  /** The times that all definitions of this membership give together. */
  wanted: 'always' | readonly MembershipWindow[];
  /** True if the service begins and ends memberships by itself. */
  keepsTimes: boolean;
  now: Date;
}

/** One person or data source in a role; its other members stay as they are. */
export const roleMembershipKind: Kind<DesiredRoleMembership, ObservedMembership> = {
  key: ({ role, member, window }) =>
    JSON.stringify([
      roleKey(role),
      member.kind,
      member.kind === 'Person' ? personKey(member.username) : dataSourceKey(member.alias),
      ...(window === undefined ? [] : [window.startsAt ?? '', window.expiresAt ?? '']),
    ]),

  references: (desired) => [
    { kind: 'Role', name: desired.role },
    { kind: desired.member.kind, name: memberName(desired) },
  ],

  settled({ role, member, window }, { view, peekId }) {
    // Whose times come into it is no quick look.
    if (member.kind !== 'Person' || window !== undefined) return undefined;
    const [roleId = '', personId = ''] = [peekId('Role', role), peekId('Person', member.username)];
    const assignment = view.peek(`rolePeople ${roleId}`)?.byId.get(personId);
    return assignment !== undefined && assignment.windows === undefined ? [`${roleId}/${personId}`] : undefined;
  },

  async observe(desired, scope) {
    const role = await scope.locate(desired, 'Role', desired.role);
    const member = await scope.locate(desired, desired.member.kind, memberName(desired));
    const present = await readPresence(desired, role, member, scope);
    const wanted = isOfPerson(desired) && isTimed(desired, present) ? declaredTimes(desired, present, scope) : 'always';
    // A service that shows times keeps them, also while it cannot say so: a plain call would end them, and give the role for good.
    const keepsTimes = wanted === 'always' || Array.isArray(present) || (await scope.view.keepsTimes());
    const claims = present === undefined ? [] : [pairOf(role, member)];
    return { role, member, present, wanted, keepsTimes, now: scope.now, claims };
  },

  diff(desired, { role, member, present, wanted, keepsTimes, now }) {
    const diff = emptyDiff();
    if ('missing' in role) diff.refusals.push(role.missing);
    if ('missing' in member) diff.refusals.push(member.missing);
    if ('missing' in role || 'missing' in member) return diff;
    const ends = [
      { id: role.id, name: desired.role },
      { id: member.id, name: memberName(desired) },
    ] as const;
    const withReason = (step: Step): Step =>
      desired.reason === undefined || step.effect !== 'grant' ? step : { ...step, reason: desired.reason };
    const add = (): Step => withReason(addMember(desired.member.kind, ...ends, desired));
    if (wanted === 'always') {
      if (present !== 'always') diff.steps.push(add());
      return diff;
    }
    const remove = (): Step => ({ ...removeMember(desired.member.kind, ...ends, desired), reason: 'not its time now' });
    if (!keepsTimes) return diffNow(desired, present !== undefined, wanted, now, { add, remove });
    if (wanted.length > 0) {
      const windows = inOrder(wanted);
      const isThere = Array.isArray(present) && areSameWindows(present, windows);
      if (!isThere) diff.steps.push(withReason(setWindows(...ends, windows, desired, present)));
    } else if (present !== undefined) diff.steps.push(remove());
    noteNeverGiven(desired, present, now, diff);
    return diff;
  },
};

/** On a service that keeps no times, a run gives the role and takes it as the moment is. */
function diffNow(
  desired: DesiredRoleMembership,
  isPresent: boolean,
  wanted: readonly MembershipWindow[],
  now: Date,
  { add, remove }: { add: () => Step; remove: () => Step },
): Diff {
  const diff = emptyDiff();
  const isWanted = holds(wanted, now);
  if (isWanted !== isPresent) diff.steps.push(isWanted ? add() : remove());
  if (holdsYet(wanted, now)) {
    const message =
      'begins and ends only when Rolecall runs at that moment: this service does not keep the times of memberships itself';
    diff.notes.push({ object: label(desired), message, code: 'kept-by-runs' });
  }
  return diff;
}

/** A time that was over before it was ever written gave no access: mostly since it says another year than was meant. */
function noteNeverGiven(desired: DesiredRoleMembership, present: Presence, now: Date, diff: Diff): void {
  const { window } = desired;
  if (window === undefined || !isEnded(window, now)) return;
  if (Array.isArray(present) && present.some(({ expiresAt }) => expiresAt === window.expiresAt)) return;
  diff.notes.push({ object: label(desired), message: `ended at ${window.expiresAt}, and is not in this workspace` });
}

/** A membership as the service names it. */
const pairOf = (role: Located, member: Located): string =>
  [role, member].map((end) => ('id' in end ? idOf(end.id) : '')).join('/');

function memberName({ member }: DesiredRoleMembership): string {
  return member.kind === 'Person' ? member.username : member.alias;
}

type OfPerson = DesiredRoleMembership & { member: { kind: 'Person' } };

const isOfPerson = (desired: DesiredRoleMembership): desired is OfPerson => desired.member.kind === 'Person';

/** Most memberships have no times, in Git and in the workspace: they need no look at others. */
function isTimed({ window }: DesiredRoleMembership, present: Presence): boolean {
  return window !== undefined || Array.isArray(present);
}

/** Reads the role's members only when both ends exist: a role or member that is yet to be made has no membership. */
async function readPresence(
  desired: DesiredRoleMembership,
  role: Located,
  member: Located,
  scope: Scope,
): Promise<Presence> {
  if ('missing' in role || 'missing' in member) return undefined;
  if (typeof role.id !== 'string' || typeof member.id !== 'string') return undefined;
  if (desired.member.kind === 'DataSource') {
    return (await scope.view.roleDataSources(role.id)).byId.has(member.id) ? 'always' : undefined;
  }
  const assignment = (await scope.view.rolePeople(role.id)).byId.get(member.id);
  return assignment && (assignment.windows ?? 'always');
}
