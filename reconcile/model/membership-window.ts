import type { MembershipWindow } from '@rolecall/api';
import { shortTime } from './window.ts';

/** The times in which someone is in a role; absent: as long as the membership is there. */
export type MembershipWindows = readonly MembershipWindow[] | undefined;

/** True if a time has come and is not over. */
export function isOpen({ startsAt, expiresAt }: MembershipWindow, at: Date): boolean {
  const time = at.getTime();
  if (startsAt !== undefined && time < Date.parse(startsAt)) return false;
  return expiresAt === undefined || time < Date.parse(expiresAt);
}

export function isEnded({ expiresAt }: MembershipWindow, at: Date): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= at.getTime();
}

/** True if a membership holds at a moment. */
export function holds(windows: MembershipWindows, at: Date): boolean {
  return windows === undefined || windows.some((window) => isOpen(window, at));
}

/** True if a membership holds at a moment, or will. */
export function holdsYet(windows: MembershipWindows, at: Date): boolean {
  return windows === undefined || windows.some((window) => !isEnded(window, at));
}

export function isSameWindow(window: MembershipWindow, other: MembershipWindow): boolean {
  return window.startsAt === other.startsAt && window.expiresAt === other.expiresAt;
}

/** In the order of time, and each once. */
export function inOrder(windows: readonly MembershipWindow[]): MembershipWindow[] {
  const byText = new Map(windows.map((window) => [keyOf(window), window]));
  return [...byText].toSorted(([text], [other]) => (text < other ? -1 : 1)).map(([, window]) => window);
}

const keyOf = ({ startsAt = '', expiresAt = '~' }: MembershipWindow): string => `${startsAt} ${expiresAt}`;

export function areSameWindows(times: MembershipWindows, other: MembershipWindows): boolean {
  const text = (windows: MembershipWindows) => windows && inOrder(windows).map(keyOf).join();
  return text(times) === text(other);
}

/** The most times that are named; of more, their number is given. */
const mostNamed = 3;

/** `from 2026-12-07T09:00Z until 2026-12-14T09:00Z and …`. */
export function windowWords(windows: readonly MembershipWindow[]): string {
  const words = inOrder(windows).map(({ startsAt, expiresAt }) =>
    [startsAt && `from ${shortTime(startsAt)}`, expiresAt && `until ${shortTime(expiresAt)}`].filter(Boolean).join(' '),
  );
  const rest = words.length - mostNamed;
  return [...words.slice(0, mostNamed), ...(rest > 0 ? [`${rest} more times`] : [])].join(' and ');
}
