/** The window of a membership, as its resource has it. */

import type { MembershipWindow } from '@rolecall/api';
import { parseTimestamp } from '@rolecall/crds';
import { windowWords } from '@rolecall/reconcile';
import { type Diagnostic, refusal, warning } from '../../plugin/framework/diagnostics.ts';
import type { PlanRequest } from '../../plugin/framework/resource.ts';
import { isUnknown, type ObjectValue, type Value } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { textOf } from '../shared/values.ts';
import { asWritten, isOver, isWindow, spelling, windowAttributes, windowOf, windowToGrant } from '../shared/window.ts';
import type { Member } from './memberships.ts';

type Windows = Member['windows'];

const names = ['starts_at', 'expires_at', 'duration'] as const;

export const timeAttributes = windowAttributes(
  'When the person gets the role (RFC 3339). Default: at once; with `duration`, when it is first given, which is kept from then on.',
  'When the person loses the role (RFC 3339). Default: never, or after `duration`. Without `starts_at`, `expires_at` and `duration` the person has the role for good.',
);

/** True if a membership is for a time, or may turn out to be. */
export function isTimed(values: ObjectValue): boolean {
  return names.some((name) => (values[name] ?? null) !== null);
}

/** True if a membership gives the role at a moment. A start that is not known is the moment itself. */
export function holdsAt(values: ObjectValue, now: Date): boolean {
  const startsAt = textOf(values, 'starts_at');
  const hasBegun = startsAt === undefined || Date.parse(startsAt) <= now.getTime();
  return hasBegun && !isOver(textOf(values, 'expires_at'), now);
}

/** Plans a window as far as it is known. A time that the configuration leaves out is none, unless a duration brings it. */
export function planTimes({ planned, config, prior }: Pick<PlanRequest, 'planned' | 'config' | 'prior'>): ObjectValue {
  if ((config['duration'] ?? null) !== null) return windowOf(planned, prior ?? undefined);
  return {
    starts_at: spelling(config['starts_at'] ?? null, prior?.['starts_at']),
    expires_at: spelling(config['expires_at'] ?? null, prior?.['expires_at']),
    duration: null,
  };
}

/** True if two windows are the same instants, as far as both are known. */
export function isSameWindow(window: ObjectValue, other: ObjectValue): boolean {
  return (['starts_at', 'expires_at'] as const).every((name) => {
    const [a, b] = [window[name] ?? null, other[name] ?? null];
    if (isUnknown(a) || isUnknown(b)) return false;
    return a === b || (typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b));
  });
}

/** The window to set; undefined: for good. Without a start, a duration begins now. */
export function windowToSet(planned: ObjectValue, now: Date): MembershipWindow | undefined {
  if (textOf(planned, 'duration') !== undefined) return windowToGrant(planned, now);
  const [startsAt, expiresAt] = [textOf(planned, 'starts_at'), textOf(planned, 'expires_at')];
  if (startsAt === undefined && expiresAt === undefined) return undefined;
  return {
    ...(startsAt === undefined ? {} : { startsAt: parseTimestamp(startsAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: parseTimestamp(expiresAt) }),
  };
}

/** True if a membership has just the planned window. A run that was killed may have given it. */
export function hasWindow(windows: Windows, planned: ObjectValue, now: Date): boolean {
  if (!isTimed(planned)) return windows === undefined;
  const [window, another] = windows ?? [];
  if (window === undefined || another !== undefined) return false;
  const { startsAt, expiresAt } = window;
  if (isSameWindow({ starts_at: startsAt ?? null, expires_at: expiresAt ?? null }, planned)) return true;
  const duration = textOf(planned, 'duration');
  if (duration === undefined || startsAt === undefined || expiresAt === undefined) return false;
  const wish = { startsAt: textOf(planned, 'starts_at'), expiresAt: undefined, duration };
  return isWindow({ startsAt, expiresAt }, wish, now);
}

/** Describes the change of a window when its membership is taken over; undefined where there is none. */
export function windowChange(windows: Windows, planned: ObjectValue, now: Date): string | undefined {
  if (hasWindow(windows, planned, now)) return undefined;
  const currentWords = windows === undefined ? 'for good' : windowWords(windows);
  return `the person has the role ${currentWords}, and will have it ${plannedWords(planned)}`;
}

function plannedWords(planned: ObjectValue): string {
  if (!isTimed(planned)) return 'for good';
  const [startsAt, expiresAt] = [textOf(planned, 'starts_at'), textOf(planned, 'expires_at')];
  if (startsAt === undefined && expiresAt === undefined) return `for ${textOf(planned, 'duration') ?? 'a time'}`;
  return windowWords([{ ...(startsAt && { startsAt }), ...(expiresAt && { expiresAt }) }]);
}

/** The state of a membership that is there. What differs from what is written shows as a change in the next plan. */
export function timesOf(windows: Windows, written: ObjectValue): Record<string, Value> {
  const { startsAt, expiresAt } = seen(windows, written);
  return {
    starts_at: startsAt === undefined ? null : asWritten(written['starts_at'], startsAt),
    expires_at: expiresAt === undefined ? null : asWritten(written['expires_at'], expiresAt),
    duration: written['duration'] ?? null,
  };
}

function seen(
  windows: Windows,
  written: ObjectValue,
): { startsAt?: string | undefined; expiresAt?: string | undefined } {
  const [only, another] = windows ?? [];
  const startsAt = textOf(written, 'starts_at');
  const isDuration = textOf(written, 'duration') !== undefined;
  // The start of a duration is remembered here alone, and the missing end shows that another hand took the times away.
  if (only === undefined) return isDuration ? { startsAt } : {};
  if (another === undefined) return isDuration && startsAt !== undefined ? sinceStart(only, startsAt, written) : only;
  return span(windows ?? [], { startsAt, expiresAt: textOf(written, 'expires_at') });
}

/** The state of a duration. Its start stays, from which it counts, or a window that another hand moved would pass for the declared one. */
function sinceStart(only: MembershipWindow, startsAt: string, written: ObjectValue): MembershipWindow {
  if (only.startsAt !== undefined && Date.parse(only.startsAt) === Date.parse(startsAt)) return only;
  const { expiresAt } = only;
  // With its own end it would look unchanged.
  const looksSame = isSameWindow({ starts_at: startsAt, expires_at: expiresAt ?? null }, windowOf(written, undefined));
  return looksSame || expiresAt === undefined ? { startsAt } : { startsAt, expiresAt };
}

/** The state of a membership with several windows. It has room for one, and shows one that differs from what is declared. */
function span(
  windows: readonly MembershipWindow[],
  written: { startsAt: string | undefined; expiresAt: string | undefined },
) {
  const ends = windows.flatMap((window) => window.expiresAt ?? []).toSorted();
  const end = ends.length < windows.length ? undefined : ends.at(-1);
  const isWritten =
    end === undefined || written.expiresAt === undefined
      ? end === written.expiresAt
      : Date.parse(end) === Date.parse(written.expiresAt);
  if (!isWritten) return { startsAt: written.startsAt, expiresAt: end };
  if (end !== undefined || written.startsAt !== undefined)
    return end === undefined ? {} : { startsAt: written.startsAt };
  return { startsAt: windows.flatMap((window) => window.startsAt ?? []).toSorted()[0] };
}

/** Tells of a membership that has more windows than a resource can have. */
export function severalWindows(id: string, windows: Windows): Diagnostic | undefined {
  if (windows === undefined || windows.length < 2) return undefined;
  return warning(
    'Several times in one membership',
    `The membership ${id} has ${windows.length} times (${windowWords(windows)}), and this resource has one: the next apply leaves no other. To keep several, declare them as RoleMemberships to rolecall apply or the operator.`,
    ['starts_at'],
  );
}

/** @throws DiagnosticError where the service would not end a membership by itself: it would be one for good */
export async function needTimes(planned: ObjectValue, workspace: Workspace): Promise<void> {
  if (await workspace.keepsTimes()) return;
  throw refusal(
    'The workspace keeps no times of memberships',
    'The service, or this key, has no memberships with times, so the person would have the role for good. Leave starts_at, expires_at and duration out, grant a rolecall_permission for that time, or declare the membership to rolecall operator, which gives and takes it at its moments.',
    [names.find((name) => (planned[name] ?? null) !== null) ?? 'expires_at'],
  );
}
