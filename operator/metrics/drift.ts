/** Which of what a plan did was putting right what somebody changed in the workspace. */

import type { KindName } from '@rolecall/crds';
import { isReady } from '../controllers/conditions.ts';
import type { CustomObject } from '../controllers/custom-object.ts';

/**
 * Finds the objects that had been as declared, and have not changed since: what had to be written for them was changed
 * elsewhere.
 *
 * @param written those for which something was written, each once
 */
export function corrected(written: Iterable<CustomObject>): KindName[] {
  return [...written].filter(isReady).map(({ kind }) => kind);
}
