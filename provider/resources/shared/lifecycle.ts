/** The life of an object, whatever its kind: it is found, made, taken over and deleted. */

import type { ObjectCollection } from '@rolecall/crds';
import type { Collection } from '@rolecall/reconcile';
import { refusal } from '../../plugin/framework/diagnostics.ts';
import type { Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import { problemOf } from '../../workspace/failures.ts';
import type { ObjectKey } from '../../workspace/meetings.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopts, isManaged, isTakenOver, orRenamed } from './adoption.ts';
import { isTainted, replacedBy } from './forced-replacement.ts';
import { isTrue, needText, textOf } from './values.ts';

type Context = VerbContext<Workspace>;
export interface ObjectKind {
  readonly type: string;
  readonly noun: 'person' | 'role' | 'data source' | 'snippet' | 'permission';
  readonly collection: ObjectCollection;
  /** The attribute by which people know an object. */
  readonly attribute: string;
  /** Names an object for the removal rail; default: by that attribute. */
  readonly listed?: (state: ObjectValue) => string;
}

/** The name by which people know an object of the state. A data source that was made elsewhere may have a name only. */
export const nameIn = (state: ObjectValue, { attribute }: ObjectKind): string =>
  textOf(state, attribute) ?? needText(state, 'name');

/** Names an object for a message, with the attribute that it points to. */
export function subjectOf({ type, noun, attribute }: ObjectKind, name: string, id: string) {
  return { type, id, what: `the ${noun} ${name}`, path: [attribute] };
}

/**
 * The verbs that delete an object.
 *
 * @param remove deletes it; an object that is gone already is as it should be
 */
export function deletion(
  kind: ObjectKind,
  remove: (state: ObjectValue, workspace: Workspace) => Promise<unknown>,
): Pick<Resource<Workspace>, 'planDestroy' | 'remove'> {
  const { type, noun, collection, listed } = kind;
  const objectIn = (state: ObjectValue) => {
    return { type, id: needText(state, 'id'), what: `the ${noun} ${nameIn(state, kind)}` };
  };
  return {
    planDestroy: async ({ state }, { workspace }) => {
      // With create_before_destroy, the replacement has taken it over by now.
      if (workspace.ledger.has(objectIn(state), 'adopted')) return;
      // First: where only a moved block is missing, the new address says so too, and no one takes the protection away for it.
      await workspace.ledger.enter(objectIn(state), 'leaving');
      refuseProtected(state, kind, 'be deleted');
      await workspace.removals.remove(collection, listed?.(state) ?? nameIn(state, kind));
    },
    remove: async ({ state }, { workspace, report }) => {
      // The plan refuses this too, but not for a tainted object whose name changed as well.
      refuseProtected(state, kind, 'be deleted');
      if (isTakenOver(objectIn(state), workspace, report)) return;
      await removing(objectIn(state), () => remove(state, workspace), workspace);
    },
  };
}

/** Deletes an object. It counts as removed at once, so that no other resource takes it over while it goes. */
export async function removing(
  object: ObjectKey,
  remove: () => Promise<unknown>,
  { ledger }: Workspace,
): Promise<void> {
  ledger.note(object, 'removed');
  try {
    await remove();
  } catch (error) {
    ledger.withdraw(object, 'removed');
    throw error;
  }
}

/**
 * Refuses what would delete a protected object.
 *
 * @param fate what would become of it, such as `be deleted`
 * @throws DiagnosticError when it is protected
 */
export function refuseProtected(object: ObjectValue, kind: ObjectKind, fate: string): void {
  if (!isTrue(object, 'protected')) return;
  const { noun } = kind;
  const name = nameIn(object, kind);
  throw refusal(
    `The ${noun} ${name} is protected`,
    `${name} would ${fate}, and protected = true forbids it. If it is meant, set protected = false and apply that first.`,
    ['protected'],
  );
}

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/** A kind whose objects have a name that is unique in the workspace. */
export interface NamedKind<T extends Named> extends ObjectKind {
  readonly key: (name: string) => string;
  /** The service's refusal where another object has the name. */
  readonly problem: string;
  readonly list: (workspace: Workspace, when: 'before' | 'now') => Promise<Collection<T>>;
  /** Checks whether an object may be replaced though nothing of it changed. */
  readonly force: (id: string, request: Wanted, context: Context) => Promise<void>;
  /** Checks whether an existing object may be taken over. */
  readonly adopt: (existing: T, request: Wanted, context: Context) => Promise<void>;
}

type Wanted = Pick<PlanRequest, 'planned' | 'config'>;

/** Plans the creation of an object: where the workspace has one with its name, that one is taken over. */
export async function planCreate<T extends Named>(
  kind: NamedKind<T>,
  request: PlanRequest,
  context: Context,
): Promise<Planned> {
  const { planned, private: before } = request;
  const { workspace } = context;
  if (!workspace.isKnown) return { planned };
  const replaced = replacedBy(kind.type, before, workspace);
  if (replaced !== undefined) await kind.force(replaced, request, context);
  const existing = await findByName(kind, planned, before['id'], workspace);
  if (existing === undefined) return { planned };
  const { id, createdAt } = existing;
  const subject = subjectOf(kind, needText(planned, kind.attribute), id);
  if (await isManaged(subject, context)) {
    if (isTainted(kind.type, id, before, context)) await kind.force(id, request, context);
    return { planned };
  }
  await orRenamed(subject, () => kind.adopt(existing, request, context), workspace);
  // Known to the plan, so that the rails of a list count the members that it takes out of a role which is taken over with it.
  return { planned: { ...planned, id, created_at: createdAt }, private: adopts(id) };
}

/** The object with the declared name, unless it is the resource's own or was removed by this command. */
export async function findByName<T extends Named>(
  { type, list, key, attribute }: NamedKind<T>,
  planned: ObjectValue,
  ownId: string | undefined,
  workspace: Workspace,
): Promise<T | undefined> {
  const name = textOf(planned, attribute);
  if (!workspace.isKnown || name === undefined) return undefined;
  const { byKey } = await list(workspace, 'before');
  return byKey.get(key(name))?.find(({ id }) => id !== ownId && !workspace.ledger.has({ type, id }, 'removed'));
}

/** Takes the object over that the plan of a create named. @returns undefined where it is gone */
export async function takePlanned<T>(
  { type }: ObjectKind,
  id: string | undefined,
  list: () => Promise<Pick<Collection<T>, 'byId'>>,
  { ledger }: Workspace,
): Promise<T | undefined> {
  if (id === undefined || ledger.has({ type, id }, 'removed')) return undefined;
  const existing = (await list()).byId.get(id);
  if (existing !== undefined) ledger.note({ type, id }, 'adopted');
  return existing;
}

/**
 * Creates an object. One that was made after the plan, by another client or by a run that was killed, is taken over.
 *
 * @returns the object, and whether it was there
 */
export async function createOrAdopt<T extends Named, M extends T>(
  kind: NamedKind<T>,
  create: () => Promise<M | undefined>,
  request: Wanted,
  context: Context,
): Promise<{ made: M } | { existing: T }> {
  const { workspace } = context;
  try {
    const made = await create();
    if (made === undefined) throw new TypeError(`no step makes the ${kind.noun}`);
    workspace.ledger.note({ type: kind.type, id: made.id }, 'made');
    return { made };
  } catch (error) {
    if (problemOf(error)?.problem !== kind.problem) throw error;
    const existing = (await kind.list(workspace, 'now')).byKey.get(
      kind.key(needText(request.planned, kind.attribute)),
    )?.[0];
    if (existing === undefined) throw error;
    await kind.adopt(existing, request, context);
    workspace.ledger.note({ type: kind.type, id: existing.id }, 'adopted');
    return { existing };
  }
}
