/** Finds the permission in the workspace that a resource means: while planning, while applying and on import. */

import type { Permission } from '@rolecall/api';
import { parseTimestamp, TimestampError } from '@rolecall/crds';
import { dataSourceKey, pairKey, personKey, type View } from '@rolecall/reconcile';
import { type DiagnosticError, refusal } from '../../plugin/framework/diagnostics.ts';
import type { PlanRequest } from '../../plugin/framework/resource.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import type { State, Subject } from '../../workspace/meetings.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { hold } from '../shared/adoption.ts';
import { isKnown, needText, textOf } from '../shared/values.ts';
import { isWindow, type WindowWish, windowOf } from '../shared/window.ts';

const type = 'rolecall_permission';

/**
 * The permission of a state, where the workspace has it. Permissions are never given to another person or data source, so that one with
 * the same number that was is another one: each store of the specification counts from 1.
 */
export async function findOwn(state: ObjectValue, view: Pick<View, 'permissions'>): Promise<Permission | undefined> {
  const numbered = (await view.permissions()).byId.get(needText(state, 'id'));
  return numbered !== undefined && isOf(numbered, state) ? numbered : undefined;
}

function isOf({ person, dataSource, createdAt }: Permission, state: ObjectValue): boolean {
  if (person.id !== textOf(state, 'person_id') || dataSource.id !== textOf(state, 'data_source_id')) return false;
  return Date.parse(createdAt) === Date.parse(needText(state, 'created_at'));
}

/**
 * Enters that a resource is to have the permission of a pair and a window, as far as all of that is known.
 *
 * @throws DiagnosticError when another resource of the same plan is to have it too
 */
export async function holdPermission(
  request: Pick<PlanRequest, 'prior' | 'planned' | 'private'>,
  workspace: Workspace,
): Promise<void> {
  const { prior, planned } = request;
  const parts = partsOf({ ...planned, ...windowOf(planned, prior ?? undefined) });
  if (parts === undefined) return;
  const [person, dataSource, from, until] = parts;
  const what = `the permission of ${person} on ${dataSource} from ${from} until ${until}`;
  await hold({ type, id: parts.join(' '), what, path: ['person_id'] }, request, workspace);
}

function partsOf(next: ObjectValue) {
  const [person, dataSource] = [textOf(next, 'person_id'), textOf(next, 'data_source_id')];
  const [from, until] = [textOf(next, 'starts_at'), textOf(next, 'expires_at')];
  if (person === undefined || dataSource === undefined || from === undefined || until === undefined) return undefined;
  return [person, dataSource, parseTimestamp(from), parseTimestamp(until)] as const;
}

/** A permission with its window, by which two resources may mean it. */
export function windowed({ id, person, dataSource, startsAt, expiresAt }: Permission): Subject {
  const what = `the permission of ${person.username} on ${dataSource.alias ?? dataSource.name} from ${startsAt} until ${expiresAt}`;
  return { type, id, what, path: ['person_id'] };
}

/** Enters that a resource goes on with its permission. Where another one means it by its window, the refusal says which it is. */
export async function keepPermission(id: string, { ledger, before }: Workspace): Promise<void> {
  const meant = ledger.has({ type, id }, 'meant') ? (await before.permissions()).byId.get(id) : undefined;
  const subject = { type, id, what: `the permission ${id}`, path: ['person_id'] };
  await ledger.enter(meant === undefined ? subject : windowed(meant), 'kept');
}

/**
 * Finds a permission in the workspace that is what is planned and that no other resource of this command adopts, and reserves it.
 *
 * @param states that are entered with the reservation
 */
export async function findGranted(
  planned: ObjectValue,
  workspace: Workspace,
  ownId: string | undefined,
  ...states: State[]
): Promise<Permission | undefined> {
  const permission = match(planned, await workspace.before.permissions(), workspace, ownId);
  // Before anything else runs: a resource with the same window waits for the same list, and would take the same one.
  if (permission !== undefined) workspace.ledger.note({ type, id: permission.id }, 'arriving', ...states);
  return permission;
}

/** Finds the same as `findGranted` does, and does not reserve it. */
export async function findMeant(
  planned: ObjectValue,
  workspace: Workspace,
  ownId: string,
): Promise<Permission | undefined> {
  return workspace.isKnown ? match(planned, await workspace.before.permissions(), workspace, ownId) : undefined;
}

function match(
  planned: ObjectValue,
  { byKey }: Awaited<ReturnType<View['permissions']>>,
  workspace: Workspace,
  ownId: string | undefined,
): Permission | undefined {
  const [person, dataSource] = [textOf(planned, 'person_id'), textOf(planned, 'data_source_id')];
  if (person === undefined || dataSource === undefined || !isKnown(planned, 'duration')) return undefined;
  const wish: WindowWish = {
    startsAt: textOf(planned, 'starts_at'),
    expiresAt: textOf(planned, 'expires_at'),
    duration: textOf(planned, 'duration'),
  };
  const free = (byKey.get(pairKey(person, dataSource)) ?? []).filter(
    ({ id }) => id !== ownId && !workspace.ledger.has({ type, id }, 'removed', 'arriving'),
  );
  return free.find((permission) => isWindow(permission, wish, workspace.now()));
}

/**
 * Finds a permission by its id, or by `username/alias/starts_at/expires_at`; the window may be left out where the pair
 * has one permission only.
 *
 * @throws DiagnosticError where several match
 */
export async function findPermission(text: string, workspace: Workspace): Promise<Permission | undefined> {
  const { all, byId } = await workspace.view().permissions();
  const permission = byId.get(text);
  if (permission !== undefined) return permission;
  const { pair, window } = split(text);
  const matching = all.filter(
    (candidate) =>
      isPair(candidate, pair) && (window === undefined || window === `${candidate.startsAt}/${candidate.expiresAt}`),
  );
  if (matching.length > 1) throw several(pair, matching);
  return matching[0];
}

/** Permissions have no names: their windows tell them apart. */
function several(pair: string, matching: readonly Permission[]): DiagnosticError {
  const descriptions = matching.map(({ id, startsAt, expiresAt }) => `id ${id} (${pair}/${startsAt}/${expiresAt})`);
  return refusal(
    `Several permissions are ${pair}`,
    `The workspace has ${matching.length} permissions of ${pair}: ${descriptions.join(', ')}. Import one by its id, or by the text in brackets where only one has that window.`,
  );
}

function split(text: string): { pair: string; window: string | undefined } {
  const parts = text.split('/');
  const times = parts.slice(-2).map(normalise);
  if (parts.length < 4 || times.includes(undefined)) return { pair: text, window: undefined };
  return { pair: parts.slice(0, -2).join('/'), window: times.join('/') };
}

function normalise(text: string): string | undefined {
  try {
    return parseTimestamp(text);
  } catch (error) {
    if (error instanceof TimestampError) return undefined;
    throw error;
  }
}

/** Names may have slashes, so the existing names are joined and compared, instead of splitting the text. */
function isPair({ person, dataSource }: Permission, pair: string): boolean {
  if (dataSource.alias === null) return false;
  const prefix = `${personKey(person.username)}/`;
  return (
    personKey(pair).startsWith(prefix) && dataSourceKey(pair.slice(prefix.length)) === dataSourceKey(dataSource.alias)
  );
}
