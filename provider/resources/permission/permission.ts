import type { Permission } from '@rolecall/api';
import { parseTimestamp } from '@rolecall/crds';
import {
  type CurrentPermission,
  type DesiredPermission,
  permissionKind,
  removePermission,
  type Step,
} from '@rolecall/reconcile';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { isUnknown, type ObjectValue, unknown } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, adopts, isManaged, orRenamed } from '../shared/adoption.ts';
import { adopt as adoptAttribute, createdAt, idAttribute, reference } from '../shared/attributes.ts';
import { declared, toDelete } from '../shared/engine.ts';
import { deletion, type ObjectKind, removing, takePlanned } from '../shared/lifecycle.ts';
import { changedTooLate, endedMeanwhile, grantedAgain, refusePast } from '../shared/past-window.ts';
import { checkReferences, type Reference, referring } from '../shared/references.ts';
import { needText, textOf } from '../shared/values.ts';
import {
  asWritten,
  hasReadableTimes,
  isOver,
  refuseTooLong,
  validateWindow,
  windowAttributes,
  windowOf,
  windowToGrant,
} from '../shared/window.ts';
import { findGranted, findMeant, findOwn, findPermission, holdPermission, keepPermission, windowed } from './lookup.ts';

type Context = VerbContext<Workspace>;

const references: readonly Reference[] = [
  { kind: 'person', attribute: 'person_id' },
  { kind: 'data source', attribute: 'data_source_id' },
];

/** Mark of a permission that is gone before its end: its window stays in the state, and is granted again. */
const revoked = { revoked: 'before its end' } as const;

const kind = {
  type: 'rolecall_permission',
  noun: 'permission',
  collection: 'permissions',
  attribute: 'id',
  listed: (state) => `${needText(state, 'id')} (until ${needText(state, 'expires_at')})`,
} as const satisfies ObjectKind;

const { planDestroy, remove } = deletion(kind, revoke);

/** A data source for a person, for a time. */
export const permission: Resource<Workspace> = {
  type: kind.type,
  schema: {
    version: 0,
    description:
      'Gives a person a data source for a time. A changed window is moved in place: whoever works by it goes on, and the `id` stays. Where the service cannot move windows, or the person or data source is another one, the new permission is granted before the old one is deleted, and the `id` changes. A permission that is over stays in the state and makes no plan, whether or not it is still listed in the workspace.',
    attributes: {
      id: idAttribute('permission'),
      person_id: reference('person'),
      data_source_id: reference('data source'),
      ...windowAttributes(
        'When access begins (RFC 3339). Default: when it is first granted, which is kept from then on.',
        'When access ends (RFC 3339). Either this or `duration`.',
      ),
      adopt: adoptAttribute('permission'),
      created_at: createdAt,
    },
  },
  identity: ['id'],
  listing: {
    filters: ['person_id', 'data_source_id'],
    list: async ({ workspace }) =>
      (await workspace.view().permissions()).all.map(({ id, person, dataSource, expiresAt }) => ({
        name: `${person.username} on ${dataSource.alias ?? dataSource.name} until ${expiresAt}`,
        attributes: { id, person_id: person.id, data_source_id: dataSource.id },
      })),
  },

  validate: validateWindow,

  plan: async (request, context) => {
    const { prior } = request;
    if (!isAsBefore(request)) await holdPermission(request, context.workspace);
    await checkReferences(references, request, context.workspace);
    return prior === null ? planCreate(request, context) : planChange(request, prior, context);
  },

  create: async ({ planned, private: { adopts: adopted } }, { workspace }) => {
    const existing = await takePlanned(kind, adopted, workspace.before.permissions, workspace);
    if (existing === undefined) return grant(planned, workspace);
    return applied(existing, planned);
  },

  read: async ({ state }, { workspace }) => {
    const permission = await findOwn(state, workspace.view());
    if (permission !== undefined) return applied(permission, state);
    // A permission that is over may be deleted in the workspace: that is no drift, and it must not be granted again.
    if (isOver(textOf(state, 'expires_at'), workspace.now())) return { state };
    // A create would count the duration from now on, and lengthen what was given.
    if (textOf(state, 'duration') === undefined || !hasReadableTimes(state)) return { state: null };
    return { state, private: { id: needText(state, 'id'), ...revoked } };
  },

  update: async ({ prior, planned }, { workspace }) => {
    // Its id stays where nothing is to be granted.
    if (textOf(planned, 'id') !== undefined)
      return isSameWindow(prior, planned) ? { state: planned } : move(prior, planned, workspace);
    const old = needText(prior, 'id');
    const existing = await findGranted(planned, workspace, old, 'adopted');
    const made = existing === undefined ? await grant(planned, workspace) : applied(existing, planned);
    // Where two windows change places, the other resource may have taken this one's permission over.
    if (workspace.ledger.has({ type: kind.type, id: old }, 'adopted')) return made;
    if ((await findOwn(prior, workspace.before)) !== undefined)
      await removing({ type: kind.type, id: old }, () => revoke(prior, workspace), workspace);
    return made;
  },

  planDestroy: async (object, context) => {
    if ((await findOwn(object.state, context.workspace.before)) !== undefined) await planDestroy(object, context);
  },
  remove: async (object, context) => {
    if ((await findOwn(object.state, context.workspace.before)) !== undefined) await remove(object, context);
  },

  importedBy: 'its identifier, or by username, alias and window, as in USERNAME/ALIAS/STARTS_AT/EXPIRES_AT',
  import: async ({ id }, { workspace }) => {
    const permission = await findPermission(id, workspace);
    if (permission === undefined) return { state: null };
    const { person, dataSource } = permission;
    return applied(permission, { person_id: person.id, data_source_id: dataSource.id });
  },
};

async function planCreate({ planned, private: before }: PlanRequest, context: Context): Promise<Planned> {
  const { workspace } = context;
  const next = { ...planned, ...windowOf(planned, undefined) };
  const existing = workspace.isKnown ? await findGranted(next, workspace, before['id']) : undefined;
  if (existing === undefined) {
    refusePast(kind.noun, next, workspace);
    refuseTooLong(next, workspace.now());
    return { planned: next };
  }
  await workspace.ledger.enter(windowed(existing), 'meant');
  const what = `the permission of ${existing.person.username} on ${existing.dataSource.alias ?? existing.dataSource.name}`;
  const subject = { type: kind.type, what, id: existing.id, path: ['person_id'] };
  if (await isManaged(subject, context)) return { planned: next };
  await orRenamed(subject, () => adopt({ ...subject, importId: existing.id }, planned, context), workspace);
  // Its id and times are left open: of two resources of one window the apply may plan the other one first.
  return { planned: next, private: adopts(existing.id) };
}

async function planChange(
  { planned, config, private: before }: PlanRequest,
  prior: ObjectValue,
  { workspace, report }: Context,
): Promise<Planned> {
  const window = windowOf(planned, prior);
  // The start depends on the end by less than a second, and what a plan says of it is final.
  if ((config['starts_at'] ?? null) === null && isUnknown(window['expires_at']) && window['duration'] === null)
    window['starts_at'] = unknown;
  const next = { ...planned, ...window };
  const id = needText(prior, 'id');
  const { revoked: wasRevoked, ...remembered } = before;
  const memory = { private: { ...remembered, id } };
  if (wasRevoked !== undefined && !isOver(textOf(next, 'expires_at'), workspace.now())) {
    report(grantedAgain(kind.noun, next));
    return { planned: { ...next, id: unknown, created_at: unknown }, ...memory };
  }
  const isKept = isSameGrant(prior, next) || isPastAsBefore(prior, next, workspace);
  const isMoved = !isKept && isSamePair(prior, next) && (await workspace.edits());
  if (isKept || isMoved) await keepPermission(id, workspace);
  if (isKept) return { planned: next, ...memory };
  if (isOver(textOf(next, 'expires_at'), workspace.now())) throw changedTooLate(kind.noun, prior, next, config);
  refuseTooLong(next, workspace.now());
  if (isMoved) return { planned: next, ...memory };
  const other = await findMeant(next, workspace, id);
  if (other !== undefined) await workspace.ledger.enter(windowed(other), 'meant');
  return { planned: { ...next, id: unknown, created_at: unknown }, ...memory };
}

/** True if a resource goes on with its window, which it alone has by its id. */
function isAsBefore({ prior, planned }: PlanRequest): boolean {
  return prior !== null && isSameGrant(prior, { ...planned, ...windowOf(planned, prior) });
}

/** True if the planned grant is the present one: the same pair, and the same instants. */
function isSameGrant(prior: ObjectValue, planned: ObjectValue): boolean {
  return isSamePair(prior, planned) && isSameWindow(prior, planned);
}

function isSamePair(prior: ObjectValue, planned: ObjectValue): boolean {
  return ['person_id', 'data_source_id'].every((name) => textOf(prior, name) === textOf(planned, name));
}

function isSameWindow(prior: ObjectValue, planned: ObjectValue): boolean {
  return ['starts_at', 'expires_at'].every((name) => {
    const time = textOf(planned, name);
    return time !== undefined && Date.parse(time) === Date.parse(needText(prior, name));
  });
}

/** A permission that is over is not granted again, even where its person or data source was replaced. */
function isPastAsBefore(prior: ObjectValue, planned: ObjectValue, workspace: Workspace): boolean {
  return isSameWindow(prior, planned) && isOver(textOf(planned, 'expires_at'), workspace.now());
}

async function grant(planned: ObjectValue, workspace: Workspace): Promise<Applied> {
  const now = workspace.now();
  // What was not known in the plan.
  refuseTooLong(planned, now);
  const { createPermission: granted } = await referring(() => workspace.run(steps(planned, undefined, now)));
  if (granted === undefined) throw endedMeanwhile(planned);
  return applied(granted, planned);
}

/** Moves the window of a permission to the planned one. */
async function move(prior: ObjectValue, planned: ObjectValue, workspace: Workspace): Promise<Applied> {
  const now = workspace.now();
  // What was not known in the plan.
  refuseTooLong(planned, now);
  if (isOver(windowToGrant(planned, now).expiresAt, now)) throw endedMeanwhile(planned);
  const { updatePermission: moved } = await workspace.run(steps(planned, currentOf(prior), now));
  if (moved === undefined) throw new TypeError('no step moves the permission');
  return applied(moved, planned);
}

/** The engine's steps to the planned window. @param superseded the permission whose window is moved; undefined grants a new one */
function steps(planned: ObjectValue, superseded: CurrentPermission | undefined, now: Date): Step[] {
  const [person, dataSource] = [needText(planned, 'person_id'), needText(planned, 'data_source_id')];
  const desired: DesiredPermission = {
    ...declared,
    kind: 'Permission',
    // Terraform refers to both by their ids.
    ...{ name: person, person, dataSource },
    ...windowToGrant(planned, now),
    ended: false,
  };
  const ends = { person: { id: person }, dataSource: { id: dataSource } };
  return permissionKind.diff(desired, { ...ends, granted: undefined, superseded, isMovable: true, now, claims: [] })
    .steps;
}

function currentOf(state: ObjectValue): CurrentPermission {
  return {
    id: needText(state, 'id'),
    startsAt: parseTimestamp(needText(state, 'starts_at')),
    expiresAt: parseTimestamp(needText(state, 'expires_at')),
    person: { username: needText(state, 'person_id') },
    dataSource: { name: needText(state, 'data_source_id'), alias: null },
  };
}

async function revoke(state: ObjectValue, workspace: Workspace): Promise<void> {
  const current = currentOf(state);
  await workspace.run([removePermission(current, { kind: 'Permission', name: current.id }, toDelete, [])]);
}

type Granted = Pick<Permission, 'id' | 'startsAt' | 'expiresAt' | 'createdAt'>;

function timesOf({ startsAt, expiresAt, createdAt: created }: Granted, written: ObjectValue) {
  return {
    starts_at: asWritten(written['starts_at'], startsAt),
    expires_at: asWritten(written['expires_at'], expiresAt),
    created_at: created,
  };
}

function applied(permission: Granted, written: ObjectValue): Applied {
  return {
    state: {
      id: permission.id,
      person_id: written['person_id'] ?? null,
      data_source_id: written['data_source_id'] ?? null,
      ...timesOf(permission, written),
      duration: written['duration'] ?? null,
      adopt: written['adopt'] ?? null,
    },
    private: { id: permission.id },
  };
}
