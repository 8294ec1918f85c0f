import { label } from '../model/desired.ts';
import { idOf, type Step } from '../model/step.ts';
import { isBridge } from '../operations/table.ts';
import type { OrderedSteps } from './order.ts';

/**
 * Leaves out each step that waits for one that does not run, as if that had failed. Nothing runs by half: no permission is granted for the
 * time of the run that the run does not end.
 *
 * @param causes why a step does not run, by its id; gets those that are left out for that
 * @returns the steps that run
 */
export function leaveOut<C>({ steps, gates }: OrderedSteps, causes: Map<string, C>): Step[] {
  // Most plans refuse nothing, and a gate may be long.
  if (causes.size === 0) return [...steps];
  let running = leaveOutWaiting(steps, gates, causes);
  for (let halves = bridgesWithoutEnd(running); halves.length > 0; halves = bridgesWithoutEnd(running)) {
    for (const { id, object } of halves) {
      const half = steps.find((step) => causes.has(step.id) && label(step.object) === label(object));
      const cause = half && causes.get(half.id);
      if (cause === undefined) throw new Error(`nothing keeps the other half of "${id}" from running`);
      causes.set(id, cause);
    }
    running = leaveOutWaiting(running, gates, causes);
  }
  return running;
}

function leaveOutWaiting<C>(steps: readonly Step[], gates: OrderedSteps['gates'], causes: Map<string, C>): Step[] {
  /** Why each gate is closed. All that a gate is made of comes before the steps that wait for it. */
  const ofGates = new Map<string, C | undefined>();
  const causeOf = (id: string): C | undefined => {
    const gate = gates[id];
    if (gate === undefined) return causes.get(id);
    if (!ofGates.has(id)) ofGates.set(id, firstOf(gate));
    return ofGates.get(id);
  };
  const firstOf = (ids: readonly string[]): C | undefined => {
    for (const id of ids) {
      const cause = causeOf(id);
      if (cause !== undefined) return cause;
    }
    return undefined;
  };
  // Each step comes after those that it waits for.
  return steps.filter(({ id, after }) => {
    const cause = causes.get(id) ?? firstOf(after);
    if (cause !== undefined) causes.set(id, cause);
    return cause === undefined;
  });
}

/** Else what waits for the bridge would run, and what both states give would go with it after its hour. */
function bridgesWithoutEnd(running: readonly Step[]): Step[] {
  const bridges = running.filter(isBridge);
  // Most plans have none.
  if (bridges.length === 0) return [];
  const ended = new Set(running.map(({ params }) => idOf(params.permission)));
  return bridges.filter(({ makes = '' }) => !ended.has(makes));
}
