/** Permissions and memberships in time: the window of one that has only a length, and its state now. */

import { type DefinitionOf, isAnnotated, type ObjectDefinition } from '@rolecall/crds';
import type { CustomObject } from '../resources/custom-object.ts';
import type { Outcome } from './conditions.ts';

/** A definition that may have a window. */
export type Timed = DefinitionOf<'Permission'> | DefinitionOf<'RoleMembership'>;

export function isTimed(definition: ObjectDefinition): definition is Timed {
  return definition.kind === 'Permission' || (definition.kind === 'RoleMembership' && hasWindow(definition.spec));
}

function hasWindow({ startsAt, expiresAt, durationSeconds }: Timed['spec']): boolean {
  return (startsAt ?? expiresAt ?? durationSeconds) !== undefined;
}

/**
 * The same definition with its window in absolute times. One that has only a length begins when its status remembers; until
 * it does, that is now, and has to be remembered before it is granted.
 *
 * @param now milliseconds since 1970
 */
export function anchor<T extends Timed>(definition: T, { status }: Pick<CustomObject, 'status'>, now: number): T {
  const { durationSeconds, ...spec } = definition.spec;
  if (durationSeconds === undefined) return definition;
  // A permission that is annotated as ended has no window that begins now: that would grant it again.
  const begin = isAnnotated(definition, 'rolecall.dev/ended') ? now - durationSeconds * 1000 : now;
  const startsAt = status.startsAt ?? new Date(begin).toISOString();
  const expiresAt = new Date(Date.parse(startsAt) + durationSeconds * 1000).toISOString();
  return { ...definition, spec: { ...spec, startsAt, expiresAt } };
}

/** True if it has only a length, and has not begun. */
export function isBeginning({ spec }: Timed, { status }: Pick<CustomObject, 'status'>): boolean {
  return spec.durationSeconds !== undefined && status.startsAt === undefined;
}

/**
 * True if it is kept for the record only: an annotation says that its window is over, it has only a length, and it was never
 * granted here. A window that began now would grant what has ended.
 */
export function isForTheRecord(definition: Timed, object: Pick<CustomObject, 'status'>): boolean {
  const isEnded = isAnnotated(definition, 'rolecall.dev/ended');
  return isEnded && isBeginning(definition, object) && object.status.id === undefined;
}

/** A window in absolute times: ISO 8601. */
export interface TimeWindow {
  readonly startsAt?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** The state of a window at a moment, of a permission that is granted. */
export function stateAt({ startsAt, expiresAt }: TimeWindow, now: number): 'Pending' | 'Active' | 'Expired' {
  const isPending = startsAt !== undefined && now < Date.parse(startsAt);
  const isOver = expiresAt !== undefined && now >= Date.parse(expiresAt);
  return isPending ? 'Pending' : isOver ? 'Expired' : 'Active';
}

/** The grant of a permission in the workspace: none, the declared one, or one from before its window was changed. */
export type Grant = 'none' | 'declared' | TimeWindow;

/**
 * The status of a permission at a moment, once the beginning of its window is known.
 *
 * @param grant without a grant there is no access, whatever is declared; with an earlier grant, access lasts until its end
 */
export function windowAt(
  { spec }: Timed,
  grant: Grant,
  now: number,
): Pick<Outcome, 'state' | 'startsAt' | 'expiresAt'> {
  const { startsAt, expiresAt, durationSeconds } = spec;
  // Only what is there for the record has no window by then.
  if (durationSeconds !== undefined) return { state: 'Expired' };
  // The start stays: where only a length is declared, the status is all that remembers it.
  if (typeof grant === 'object') return { state: stateAt(grant, now), startsAt, expiresAt: grant.expiresAt };
  const state = stateAt(spec, now);
  return { state: state === 'Active' && grant === 'none' ? 'Pending' : state, startsAt, expiresAt };
}

/** The moment at which the state changes next; undefined where it never does again. */
export function nextBoundary({ startsAt, expiresAt }: TimeWindow, now: number): number | undefined {
  const times = [startsAt, expiresAt].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
  const later = times.filter((time) => time > now);
  return later.length === 0 ? undefined : Math.min(...later);
}
