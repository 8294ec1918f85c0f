import type { MembershipWindow } from '@rolecall/api';
import type { DesiredRoleMembership } from '../model/desired.ts';
import { personKey } from '../model/keys.ts';
import { isEnded, isSameWindow } from '../model/membership-window.ts';
import type { Scope } from './scope.ts';

/** How a person is in a role: always, at certain times, or not at all. */
export type Presence = 'always' | readonly MembershipWindow[] | undefined;

/**
 * When all definitions together let a person have a role: a list or a membership without a time lets them have it always, and
 * the times of others add up. A time that is over is no reason to write anything, and stays where it is there as a record.
 *
 * @param desired one of these definitions: the result names it, whether or not it may be written
 */
export function declaredTimes(
  desired: DesiredRoleMembership & { member: { kind: 'Person' } },
  present: Presence,
  scope: Pick<Scope, 'additions' | 'listing' | 'now'>,
): 'always' | readonly MembershipWindow[] {
  const key = personKey(desired.member.username);
  const listing = scope.listing(desired.role).filter(({ people = [] }) => people.some((one) => personKey(one) === key));
  if (listing.some(({ paused, observeOnly }) => !paused && !observeOnly)) return 'always';
  // The list of a role that is held back gives nothing new. What is there stays, since the list would give as much.
  const kept = listing.length === 0 || present === undefined ? [] : present;
  if (kept === 'always') return kept;
  const isThere = (window: MembershipWindow): boolean =>
    present !== undefined && present !== 'always' && present.some((one) => isSameWindow(one, window));
  const times = timesOf(scope.additions(desired.role), desired.member.username).flatMap(
    (one): ('always' | MembershipWindow)[] => {
      const { window = 'always' } = one;
      // What is held back neither gives nor takes.
      const isHeld = one !== desired && (one.paused || one.observeOnly);
      if (window === 'always') return isHeld && present !== 'always' ? [] : [window];
      return isThere(window) || (!isHeld && !isEnded(window, scope.now)) ? [window] : [];
    },
  );
  if (times.includes('always')) return 'always';
  const own = times.filter((time) => time !== 'always');
  return [...kept.filter((one) => !own.some((other) => isSameWindow(one, other))), ...own];
}

/** The memberships among these of one person. */
export function timesOf(memberships: readonly DesiredRoleMembership[], username: string): DesiredRoleMembership[] {
  return memberships.filter(
    ({ member }) => member.kind === 'Person' && personKey(member.username) === personKey(username),
  );
}
