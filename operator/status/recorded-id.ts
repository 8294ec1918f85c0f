/** Ids that statuses record: of which store each is, and whether it is still that of the same thing. */

import type { Permission } from '@rolecall/api';
import type { Collection } from '@rolecall/reconcile';
import type { CustomObject } from '../resources/custom-object.ts';
import type { ReconcileContext } from '../workspace/context.ts';
import type { Outcome } from './conditions.ts';

/** The workspace that is reconciled, as far as recorded ids depend on it. */
export interface Home {
  readonly url: string;
  /** The identity of its store; undefined where the service does not tell. */
  readonly store: string | undefined;
  /** Its permissions; undefined where no object needs them. */
  readonly permissions: Pick<Collection<Permission>, 'byId'> | undefined;
}

/** The workspace of a reconcile, with its permissions as far as they were read. */
export function homeOf({ view, connected: { url, client } }: Pick<ReconcileContext, 'view' | 'connected'>): Home {
  return { url, store: client.store(), permissions: view.peek('permissions') };
}

/**
 * The id that the status of an object records, as the engine takes it. A service of the specification numbers its permissions from 1, so
 * that the same number in another store, or in one that was restored, is somebody else's: the id becomes one that no workspace has.
 */
export function recordedId(object: Pick<CustomObject, 'kind' | 'status'>, home: Home): string | undefined {
  const { id, workspace } = object.status;
  if (id === undefined || object.kind !== 'Permission') return id;
  return isHere(workspace, home) && isSame(object.status, home) ? id : `${id} of ${workspace ?? 'another workspace'}`;
}

/** The fields that the status of a permission records with its id. */
export function placeOf(
  id: string | undefined,
  { url, store, permissions }: Home,
): Pick<Outcome, 'id' | 'workspace' | 'createdAt'> {
  return { id, workspace: store ?? url, createdAt: permissions?.byId.get(id ?? '')?.createdAt };
}

/**
 * A status from before the service told its store has the address. If the service tells none, as a replica of an older version does
 * while others are new, a recorded store says nothing, and the creation decides.
 */
function isHere(workspace: string | undefined, { url, store }: Home): boolean {
  if (workspace === undefined || workspace === store || workspace === url) return true;
  return store === undefined && !URL.canParse(workspace);
}

/** A status from before the creation was recorded has the end of the grant. What is gone is the same for all who ask for it. */
function isSame({ id = '', createdAt, expiresAt }: CustomObject['status'], { permissions }: Home): boolean {
  const permission = permissions?.byId.get(id);
  if (permission === undefined) return true;
  return createdAt === undefined ? permission.expiresAt === expiresAt : permission.createdAt === createdAt;
}
