/** The trace of what was done to access: a log line for each call, and Events where somebody else had changed something. */

import { label, listUpTo, type Step, visible } from '@rolecall/reconcile';
import type { CustomObject } from '../resources/custom-object.ts';
import type { PassContext } from '../workspace/context.ts';
import type { Log } from '../workspace/log.ts';
import { isReady } from './conditions.ts';
import { sentence } from './outcomes.ts';

/** How many steps an Event names. */
const namedSteps = 10;

/**
 * Logs a step that was made, for whoever asks later who changed what and when. A summary says names and windows, never a
 * secret.
 */
export function logStep(log: Log, namespace: string, { object, operation, summary, reason }: Step): void {
  const { kind, name } = object;
  // A name in the workspace may be any text: it must not be able to forge a line.
  log('info', `${namespace}: ${visible(`${kind}/${name}: ${summary} (${reason})`)}`, {
    ...{ namespace, kind, name, operation, summary, reason },
  });
}

/**
 * Tells by Events what was put right for objects that had been as declared, and what was removed that nobody declares, and
 * counts both. One Event an object, and one for all removals: what is made for the first time is not worth a request each.
 *
 * @param made steps that succeeded
 * @param ownerOf gives the object that a step served, by its label, as it stood before; undefined where not all of its steps
 *   succeeded, or its secret or text is another one
 * @param workspace whose Event tells of removals
 */
export async function tellOfOthers(
  made: readonly Step[],
  ownerOf: (label: string) => CustomObject | undefined,
  workspace: CustomObject,
  { writer, limit, metrics }: Pick<PassContext, 'writer' | 'limit' | 'metrics'>,
): Promise<void> {
  const corrected = new Map<CustomObject, Step[]>();
  for (const step of made) {
    const object = step.object.undeclared === true ? undefined : ownerOf(label(step.object));
    if (object === undefined || !isReady(object)) continue;
    corrected.set(object, [...(corrected.get(object) ?? []), step]);
  }
  const removed = made.filter(({ object }) => object.undeclared === true);
  metrics?.corrected([...corrected.keys()].map(({ kind }) => kind));
  // Some go in two calls, the last of which is this.
  metrics?.removed(removed.filter(({ operation }) => operation.startsWith('delete')).map(({ object }) => object.kind));
  const events = [...corrected].map(([object, steps]) => told(object, 'Corrected', listed(steps)));
  if (removed.length > 0) events.push(told(workspace, 'Removed', `Nobody declares it: ${listed(removed)}`));
  // What was not to be written has been told; once the operator ends, none is, and nobody may have to wait for that.
  const written = events.map(({ object, ...event }) => limit(() => writer.writeEvent(object, event)));
  await Promise.allSettled(written);
}

const told = (object: CustomObject, reason: string, note: string) => ({ object, reason, note });

function listed(steps: readonly Step[]): string {
  const summaries = steps.map(({ summary }) => visible(summary));
  return sentence(listUpTo(namedSteps, summaries, '; '));
}
