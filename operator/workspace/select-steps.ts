import { label, type Plan, runWhole, type Step } from '@rolecall/reconcile';

export interface Selection {
  readonly steps: Step[];
  /** Objects with steps that wait for the back-off of another object, and for which one. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Objects whose own back-off leaves their steps out. It may end while the others run. */
  readonly backingOff: ReadonlySet<string>;
  /** Objects with steps that are left to the next reconcile. */
  readonly later: ReadonlySet<string>;
}

/** How many steps run before the workspace is planned again, so that a new change never waits for a pass over thousands. */
const maxSteps = 512;

/**
 * Selects the steps of a plan that run now.
 *
 * - Steps of an object that is backing off after a failure are left out, and so is all that waits for them, as if they had failed again.
 * - Of more than `most`, those of the objects that changed last run first, each with all that it waits for.
 *
 * @param isBackingOff whether an object is still to wait after a failure
 * @param isFirst whether an object goes before the others
 */
export function selectSteps(
  { steps, gates = {} }: Pick<Plan, 'steps' | 'gates'>,
  isBackingOff: (label: string) => boolean,
  isFirst: (label: string) => boolean,
  most = maxSteps,
): Selection {
  const leftOut = new Map<string, string>();
  const causes = new Map<string, string | undefined>();
  /** Why a step or gate is left out. All that a gate is made of comes before the steps that wait for it. */
  const causeOf = (id: string): string | undefined => {
    const list = gates[id];
    if (list === undefined) return leftOut.get(id);
    if (!causes.has(id))
      causes.set(
        id,
        list.map(causeOf).find((one) => one !== undefined),
      );
    return causes.get(id);
  };
  const waiting = new Map<string, string>();
  const backingOff = new Set<string>();
  const leaveOut = ({ id, object }: Step, cause: string): void => {
    leftOut.set(id, cause);
    if (cause === label(object)) backingOff.add(cause);
    else waiting.set(label(object), cause);
  };
  // A plan has each step after those that it waits for.
  const allow = (some: readonly Step[]): Step[] =>
    some.filter((step) => {
      if (leftOut.has(step.id)) return false;
      const name = label(step.object);
      const cause = isBackingOff(name) ? name : step.after.map(causeOf).find((one) => one !== undefined);
      if (cause !== undefined) leaveOut(step, cause);
      return cause === undefined;
    });
  // No bridge is left open only because someone else's back-off keeps the other half from running.
  const allowed = runWhole(steps, allow, (step) => {
    leaveOut(step, waiting.get(label(step.object)) ?? label(step.object));
    causes.clear();
  });
  // A run takes steps in this order, as far as they wait for no other.
  const isOfFirst = ({ object }: Step): boolean => isFirst(label(object));
  const ordered = [...allowed.filter(isOfFirst), ...allowed.filter((step) => !isOfFirst(step))];
  if (allowed.length <= most) return { steps: ordered, waiting, backingOff, later: new Set() };
  const chosen = choose(allowed, gates, isFirst, most);
  const later = allowed.filter(({ id }) => !chosen.has(id)).map(({ object }) => label(object));
  return { steps: ordered.filter(({ id }) => chosen.has(id)), waiting, backingOff, later: new Set(later) };
}

function choose(
  steps: readonly Step[],
  gates: Readonly<Record<string, readonly string[]>>,
  isFirst: (label: string) => boolean,
  most: number,
): Set<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const chosen = new Set<string>();
  const add = (id: string): void => {
    const before = byId.get(id)?.after ?? gates[id];
    if (before === undefined || chosen.has(id)) return;
    chosen.add(id);
    for (const one of before) add(one);
  };
  for (const isNow of [true, false]) {
    for (const { id, object } of steps) if (chosen.size < most && isFirst(label(object)) === isNow) add(id);
  }
  return chosen;
}
