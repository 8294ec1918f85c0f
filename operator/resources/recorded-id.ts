/** The id that a status records, and the workspace that it is of. */

import type { CustomObject } from './custom-object.ts';

/**
 * The id that was recorded of an object, as the engine takes it. Permissions are numbered in each workspace: what has the same
 * number in another one is somebody else's, so that an id of another workspace is made one that this one cannot have.
 *
 * @param url of the workspace that is looked at
 */
export function recordedId({ status }: Pick<CustomObject, 'status'>, url: string | undefined): string | undefined {
  const { id, workspace = url } = status;
  return id === undefined || workspace === url ? id : `${id} of ${workspace ?? 'another workspace'}`;
}
