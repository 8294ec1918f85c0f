import type { MembershipWindow } from '@rolecall/api';
import type { DesiredRoleMembership } from '../model/desired.ts';
import { personKey } from '../model/keys.ts';
import { isEnded, isSameWindow } from '../model/membership-window.ts';
import type { Scope } from './scope.ts';

/** A person's presence in a role: always, at certain times, or not at all. */
export type Presence = 'always' | readonly MembershipWindow[] | undefined;

/**
 * Adds up the times at which all definitions together let a person have a role. A list or a membership without a time lets them have it
 * always. A time that is over is no reason to write anything, and stays in the workspace as a record.
 *
 * @param desired one of these definitions: the result names it, whether or not it may be written
 */
export function declaredTimes(
  desired: DesiredRoleMembership & { member: { kind: 'Person' } },
  present: Presence,
  scope: Pick<Scope, 'additions' | 'listing' | 'now'>,
): 'always' | readonly MembershipWindow[] {
  const key = personKey(desired.member.username);
  const listing = scope
    .listing(desired.role)
    .filter(({ people = [] }) => people.some((person) => personKey(person) === key));
  if (listing.some(({ paused, observeOnly }) => !paused && !observeOnly)) return 'always';
  // The list of a role that is held back gives nothing new. What is there stays, since the list would give as much.
  const kept = listing.length === 0 || present === undefined ? [] : present;
  if (kept === 'always') return kept;
  const isThere = (window: MembershipWindow): boolean =>
    present !== undefined && present !== 'always' && present.some((time) => isSameWindow(time, window));
  const times = timesOf(scope.additions(desired.role), desired.member.username).flatMap(
    (membership): ('always' | MembershipWindow)[] => {
      const { window = 'always' } = membership;
      // What is held back neither gives nor takes.
      const isHeld = membership !== desired && (membership.paused || membership.observeOnly);
      if (window === 'always') return isHeld && present !== 'always' ? [] : [window];
      return isThere(window) || (!isHeld && !isEnded(window, scope.now)) ? [window] : [];
    },
  );
  if (times.includes('always')) return 'always';
  const windows = times.filter((time) => time !== 'always');
  return [...kept.filter((time) => !windows.some((other) => isSameWindow(time, other))), ...windows];
}

/** The memberships among these of one person. */
export function timesOf(memberships: readonly DesiredRoleMembership[], username: string): DesiredRoleMembership[] {
  return memberships.filter(
    ({ member }) => member.kind === 'Person' && personKey(member.username) === personKey(username),
  );
}
