import { isReady, type Verdict } from './conditions.ts';
import { hasFinalizer, isLeaving, isObserved, labelOf } from './custom-object.ts';
import type { Members } from './members.ts';
import { waiting } from './verdicts.ts';

/** How many objects a message names. */
const namedObjects = 10;

/**
 * What a Workspace that is being deleted waits for. Only those objects are named that wait for somebody: a message that
 * changed with each of thousands that go would be written as often.
 */
export function goingLast(members: Members, hasStrays: boolean): Verdict {
  const waitingOnes: string[] = [];
  let isAnyStaying = false;
  for (const { object } of members.all()) {
    if (!isLeaving(object)) isAnyStaying ||= hasFinalizer(object);
    else if (isObserved(object) && !isReady(object)) waitingOnes.push(labelOf(object));
  }
  const named = waitingOnes.sort().slice(0, namedObjects).join(', ');
  const rest = waitingOnes.length > namedObjects ? ' and others' : '';
  const parts = [
    'It is deleted once its objects are.',
    ...(isAnyStaying ? ['Some of them are not being deleted.'] : []),
    ...(hasStrays
      ? ['Objects without spec.workspaceRef may be its own: delete the other Workspaces of the namespace first.']
      : []),
    ...(named === '' ? [] : [`These wait, and say for what: ${named}${rest}.`]),
  ];
  return waiting('Waiting', parts.join(' '));
}
