/** Finds the grant of a permission in the workspace, whatever its object declares by now. */

import type { DefinitionOf } from '@rolecall/crds';
import {
  type DesiredObject,
  type DesiredRoleMembership,
  findId,
  isSameWindow,
  personKey,
  roleKey,
  type View,
} from '@rolecall/reconcile';
import type { CustomObject } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { type Outcome, readyCondition } from './conditions.ts';
import { type Grant, isTimed, type TimeWindow, windowAt } from './permission-window.ts';
import { type Home, placeOf, recordedId } from './recorded-id.ts';

/** Reasons with which a permission may have been granted although its status has no id. */
const unsure: ReadonlySet<string | undefined> = new Set(['Granting', 'Failed']);

/**
 * The same object, with the id of what was granted for it and, for a crash or a lost answer, not written down. Where its window is
 * another one by now, only the window that its status remembers tells which one that is.
 */
export async function withGrantMade(
  object: DesiredObject,
  declared: DeclaredObject | undefined,
  view: View,
  now: Date,
): Promise<DesiredObject> {
  if (object.kind !== 'Permission' || object.id !== undefined || declared === undefined) return object;
  const { startsAt, expiresAt } = declared.object.status;
  if (startsAt === undefined || expiresAt === undefined) return object;
  if (isAsDeclared({ startsAt, expiresAt }, object) || !unsure.has(readyCondition(declared.object.status)?.reason))
    return object;
  const id = await findId({ ...object, startsAt, expiresAt }, view, now);
  return id === undefined ? object : { ...object, id };
}

export interface Around {
  readonly view: View;
  /** The workspace that the ids of permissions are of. */
  readonly home: Home;
  /** Its declaration, as the engine takes it; undefined where another object makes the same one. */
  readonly desired: DesiredObject | undefined;
  /** The id of what was granted for it, recorded or found by this look. */
  readonly id: string | undefined;
  /** True if an older object has what this one declares. */
  readonly isOthers: boolean;
  /** True if its window is fixed. Until then its window begins with each look, and is not written down. */
  readonly hasBegun: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * A outcome with the state and the window of the permission that it is about. A window that cannot be read is not written down:
 * it would be taken for the one that was granted.
 */
export function withWindow(outcome: Outcome, { object, definition, problem }: DeclaredObject, around: Around): Outcome {
  if (definition.kind === 'RoleMembership') return withTimes(outcome, definition, object, problem, around);
  if (definition.kind !== 'Permission') return outcome;
  const placed = withId(outcome, object, around);
  if (problem !== undefined) return placed;
  const id = 'id' in placed ? placed.id : around.id;
  const grant = outcome.ready === 'True' ? 'declared' : grantOf(definition, id, around);
  const { state, startsAt, expiresAt } = windowAt(definition, grant, around.now);
  if (around.hasBegun) return { ...placed, state, startsAt, expiresAt };
  return { ...placed, state, ...(typeof grant === 'object' ? { expiresAt } : {}) };
}

/** A membership is in the workspace, with its times, once it is as declared; until then, as the role says. */
function withTimes(
  outcome: Outcome,
  definition: DefinitionOf<'RoleMembership'>,
  { status }: CustomObject,
  problem: string | undefined,
  { hasBegun, now, desired, view }: Around,
): Outcome {
  if (problem !== undefined || !isTimed(definition)) return outcome;
  const isKnown = outcome.ready !== 'True' && desired?.kind === 'RoleMembership';
  const earlierGrant = isKnown ? membershipOf(desired, status, view) : 'none';
  const { state, startsAt, expiresAt } = windowAt(
    definition,
    outcome.ready === 'True' ? 'declared' : earlierGrant,
    now,
  );
  return hasBegun ? { ...outcome, state, startsAt, expiresAt } : { ...outcome, state };
}

/** The membership of a person in a role. @param written the window that the status remembers */
function membershipOf({ role, member, window }: DesiredRoleMembership, written: TimeWindow, view: View): Grant {
  if (member.kind !== 'Person') return 'none';
  const { id } = view.peek('roles')?.byKey.get(roleKey(role))?.[0] ?? {};
  const people = id === undefined ? undefined : view.peek(`rolePeople ${id}`)?.byKey;
  const [membership] = people?.get(personKey(member.username)) ?? [];
  if (membership === undefined) return 'none';
  const { windows } = membership;
  if (windows === undefined) return { startsAt: undefined, expiresAt: undefined };
  if (window !== undefined && windows.some((other) => isSameWindow(other, window))) return 'declared';
  return (
    windows.find((other) => other.startsAt === written.startsAt && other.expiresAt === written.expiresAt) ?? 'none'
  );
}

/** With the id that this reconcile has found. What was recorded stays, also where it is of another workspace. */
function withId(outcome: Outcome, object: CustomObject, { id, home }: Around): Outcome {
  if ('id' in outcome) return { ...outcome, ...placeOf(outcome.id, home) };
  return id === undefined || id === recordedId(object, home) ? outcome : { ...outcome, ...placeOf(id, home) };
}

/** The grant of a permission in the workspace. @param id of the grant, where one is known */
function grantOf({ spec }: DefinitionOf<'Permission'>, id: string | undefined, { isOthers, view }: Around): Grant {
  if (id === undefined) return 'none';
  const permissions = view.peek('permissions');
  const recorded = permissions?.byId.get(id);
  // What an older object has is as this one declares: another window is its own.
  if (recorded !== undefined && !isAsDeclared(recorded, spec)) return recorded;
  if (isOthers) return 'none';
  return permissions === undefined || recorded !== undefined ? 'declared' : 'none';
}

const isAsDeclared = (grant: TimeWindow, { startsAt, expiresAt }: TimeWindow): boolean =>
  grant.expiresAt === expiresAt && (startsAt === undefined || grant.startsAt === startsAt);
