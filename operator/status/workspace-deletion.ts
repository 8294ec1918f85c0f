import { hasFinalizer, isLeaving, isObserved, labelOf } from '../resources/custom-object.ts';
import type { Members } from '../workspace/object-index.ts';
import { isReady, type Verdict } from './conditions.ts';
import { waiting } from './outcomes.ts';

/** How many objects a message names. */
const namedObjects = 10;
/** How many of those it names that nobody has deleted. */
const namedStaying = 3;

/**
 * What a Workspace that is being deleted waits for. Of the objects that go, only those are named that wait for somebody: a
 * message that changed with each of thousands would be written as often.
 */
export function goingLast(members: Members, hasStrays: boolean): Verdict {
  const waitingOnes: string[] = [];
  const staying: string[] = [];
  for (const { object } of members.all()) {
    if (!isLeaving(object)) {
      if (hasFinalizer(object)) staying.push(labelOf(object));
    } else if (isObserved(object) && !isReady(object)) waitingOnes.push(labelOf(object));
  }
  const named = waitingOnes.sort().slice(0, namedObjects).join(', ');
  const rest = waitingOnes.length > namedObjects ? ' and others' : '';
  const parts = [
    'It is deleted once its objects are.',
    ...(staying.length > 0 ? [stayingOnes(staying)] : []),
    ...(hasStrays
      ? ['Objects without spec.workspaceRef may be its own: delete the other Workspaces of the namespace first.']
      : []),
    ...(named === '' ? [] : [`These wait, and say for what: ${named}${rest}.`]),
  ];
  return waiting('Waiting', parts.join(' '));
}

/**
 * Names some of those that are not being deleted, so that somebody can delete them. Where all are about to be, one after the
 * other in the order of their names, the last ones and no number change least.
 */
function stayingOnes(labels: readonly string[]): string {
  const named = [...labels].sort().slice(-namedStaying);
  return `These are not being deleted: ${named.join(', ')}${labels.length > namedStaying ? ' and others' : ''}.`;
}
