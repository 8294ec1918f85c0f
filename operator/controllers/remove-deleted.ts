/** Removes from a workspace what objects made there that are deleted now. */

import { type DefinitionOf, isAnnotated } from '@rolecall/crds';
import { createView, type DesiredObject, label, removalSteps } from '@rolecall/reconcile';
import type { Verdict } from './conditions.ts';
import type { Connected } from './connect.ts';
import { type CustomObject, hasFinalizer, labelOf } from './custom-object.ts';
import { type Desires, gatherDesires, type Member } from './desires.ts';
import type { Memory, PassContext } from './pass-context.ts';
import { runSteps } from './run-plan.ts';
import { stalled, waiting } from './verdicts.ts';

interface Removed {
  readonly gone: CustomObject[];
  readonly waiting: { object: CustomObject; verdict: Verdict }[];
  readonly transient: Error | undefined;
}

/** Removes from the workspace what deleted objects made there; then nothing keeps those any longer. */
export async function removeDeleted(
  leaving: readonly Member[],
  desires: Desires,
  { client }: Extract<Connected, { client: unknown }>,
  workspace: DefinitionOf<'Workspace'>,
  memory: Memory,
  context: PassContext,
): Promise<Removed> {
  const owned = leaving.filter(({ object }) => hasFinalizer(object));
  const result: Removed = { gone: [], waiting: [], transient: undefined };
  if (owned.length === 0) return result;
  const now = context.clock.now();
  const { state, members } = await gatherDesires(workspace, owned, context.named, now);
  const removable: DesiredObject[] = [];
  for (const { object, definition } of owned) {
    const desired = state.objects.find((one) => label(one) === labelOf(object));
    const isKept = definition.spec.deletionPolicy === 'Orphan' || definition.spec.managementPolicy === 'Observe';
    if (isKept || desired === undefined) result.gone.push(object);
    else if (isAnnotated(definition, 'rolecall.dev/paused')) {
      result.waiting.push({
        object,
        verdict: waiting('Paused', 'It is deleted, and removed once it is not paused any more.'),
      });
    } else if (desired.protected) {
      const message = 'It is protected: take the annotation rolecall.dev/protected away, and it is removed.';
      result.waiting.push({ object, verdict: stalled('Protected', message) });
    } else removable.push(desired);
  }
  // What was converged a moment ago is not in what was read before it.
  const view = (memory.view ??= createView(client));
  const steps = await removalSteps(removable, desires.state, view, new Date(now));
  const resolveSecret = (): Promise<string> => Promise.reject(new Error('nothing that is removed needs a secret'));
  const ran = await runSteps(steps, {
    client,
    resolveSecret,
    signal: context.signal,
    concurrency: context.concurrency,
  });
  if (ran.count > 0) memory.view = undefined;
  for (const desired of removable) {
    const object = members.get(label(desired))?.object;
    if (object === undefined) continue;
    const verdict = ran.verdicts.get(label(desired));
    if (verdict === undefined) result.gone.push(object);
    else result.waiting.push({ object, verdict });
  }
  return { ...result, transient: ran.transient };
}
