import { label, leaveOut, type Plan, type Step } from '@rolecall/reconcile';

export interface Selection {
  /** In the order in which a run takes them, as far as they wait for no other. */
  readonly steps: Step[];
  /** Objects with steps that wait for the back-off of another object, and for which one. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Objects whose own back-off leaves their steps out. It may end while the others run. */
  readonly backingOff: ReadonlySet<string>;
  /** Objects with steps that are left to the next reconcile. */
  readonly later: ReadonlySet<string>;
}

/** The most steps that run before the workspace is planned again, so that a new change never waits for a pass over thousands. */
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
  const causes = new Map<string, string>();
  for (const { id, object } of steps) if (isBackingOff(label(object))) causes.set(id, label(object));
  const allowed = leaveOut({ steps, gates }, causes);
  const waiting = new Map<string, string>();
  const backingOff = new Set<string>();
  for (const { id, object } of steps) {
    const cause = causes.get(id);
    if (cause === label(object)) backingOff.add(cause);
    else if (cause !== undefined) waiting.set(label(object), cause);
  }
  const { first = [], rest = [] } = Object.groupBy(allowed, ({ object }) =>
    isFirst(label(object)) ? 'first' : 'rest',
  );
  const ordered = [...first, ...rest];
  if (ordered.length <= most) return { steps: ordered, waiting, backingOff, later: new Set() };
  const chosen = choose(ordered, gates, most);
  const [now, later] = [ordered.filter(({ id }) => chosen.has(id)), ordered.filter(({ id }) => !chosen.has(id))];
  return { steps: now, waiting, backingOff, later: new Set(later.map(({ object }) => label(object))) };
}

/** The ids of the first steps, and of all that these wait for. */
function choose(steps: readonly Step[], gates: NonNullable<Plan['gates']>, most: number): Set<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const chosen = new Set<string>();
  const add = (id: string): void => {
    const awaited = byId.get(id)?.after ?? gates[id];
    if (awaited === undefined || chosen.has(id)) return;
    chosen.add(id);
    awaited.forEach(add);
  };
  for (const { id } of steps) if (chosen.size < most) add(id);
  return chosen;
}
