/** Tells of changes to access: a log line for each call, and an Event for each change by others that was put right. */

import type { Managed } from '@rolecall/api';
import { actOf, isOfMembership, label, listUpTo, type Step, visible } from '@rolecall/reconcile';
import { type CustomObject, labelOf } from '../resources/custom-object.ts';
import type { Log, OperatorContext } from '../workspace/context.ts';
import { sentence } from './outcomes.ts';

/** The most steps that an Event names. */
const namedSteps = 10;

/** Logs a step that was made. Its summary has names and windows, never a secret. */
export function logStep(log: Log, namespace: string, { object, operation, summary, reason }: Step): void {
  const { kind, name } = object;
  // A name in the workspace may be any text: it must not be able to forge a line.
  log('info', `${namespace}: ${visible(`${kind}/${name}: ${summary} (${reason})`)}`, {
    ...{ namespace, kind, name, operation, summary, reason },
  });
}

/**
 * Writes an Event for each object that was as declared and had to be put right, and one for all undeclared objects that were removed,
 * and counts both. What is made for the first time is not worth a request each.
 *
 * @param made steps that succeeded
 * @param correctedOf gives the object that was put right by steps, by its label; undefined where it had not been as declared, or not
 *   all of its steps succeeded
 * @param managers the other manager that last wrote what was put right, by the label of the object
 * @param workspace the object of the Event about removals
 */
export async function writeEvents(
  made: readonly Step[],
  correctedOf: (label: string) => CustomObject | undefined,
  managers: ReadonlyMap<string, Managed>,
  workspace: CustomObject,
  { writer, metrics }: Pick<OperatorContext, 'writer' | 'metrics'>,
): Promise<void> {
  const corrected = new Map<CustomObject, Step[]>();
  for (const step of made) {
    const object = step.object.undeclared === true ? undefined : correctedOf(label(step.object));
    if (object === undefined) continue;
    corrected.set(object, [...(corrected.get(object) ?? []), step]);
  }
  // Who deleted an object knows of it.
  const removed = made.filter(({ object }) => object.undeclared === true && object.deleted !== true);
  metrics?.corrected([...corrected.keys()].map(({ kind }) => kind));
  // A person goes in two calls; the deletion is the second.
  const deleted = removed.filter((step) => actOf(step) === 'delete' && !isOfMembership(step));
  metrics?.removed(deleted.map(({ object }) => object.kind));
  const events = [...corrected].map(([object, steps]) => ({
    object,
    reason: 'Corrected',
    note: `${listed(steps)}${managedBy(managers.get(labelOf(object)))}`,
  }));
  if (removed.length > 0) {
    events.push({ object: workspace, reason: 'Removed', note: `No object declares it: ${listed(removed)}` });
  }
  // Once the operator ends, no Event is written, and nothing waits for one.
  await Promise.allSettled(events.map(({ object, ...event }) => writer.writeEvent(object, event)));
}

/** The remedy where two managers write the same thing: they would undo each other's work for ever. */
function managedBy(owner: Managed | undefined): string {
  if (owner === undefined) return '';
  return ` ${visible(owner.manager)} last wrote it at ${owner.at}: let only one of the two manage it.`;
}

function listed(steps: readonly Step[]): string {
  const summaries = steps.map(({ summary }) => visible(summary));
  return sentence(listUpTo(namedSteps, summaries, '; '));
}
