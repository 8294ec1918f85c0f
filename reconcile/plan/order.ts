import { snippetNameKey } from '../model/keys.ts';
import { idOf, referencesOf, type Step } from '../model/step.ts';
import { actOf, does, isJoining, subjectId, subjectOf } from '../operations/table.ts';
import { type AccessWaits, findAccessWaits } from '../order/find-waits.ts';
import type { View } from '../view/view.ts';

/** Steps in an order in which they could run one after another. */
export interface OrderedSteps {
  steps: Step[];
  /** Lists of steps that many steps wait for, by the name that stands in their `after`. */
  gates: Record<string, string[]>;
}

/**
 * Gives every step the steps it waits for, and puts them in an order in which they could run one after another:
 * - who refers to an id waits for the step that makes it;
 * - a person who is to be locked is locked before being granted anything, and unlocked after what goes has gone;
 * - at each point between two calls everyone reaches what both states give, and nothing that neither gives (`order/`);
 * - a snippet that is deleted waits for the new one of its name.
 *
 * @throws Error when the steps wait for each other in a circle, which is a defect of the engine
 */
export function orderSteps(planned: readonly Step[], view: View, now: Date): OrderedSteps {
  const waits = findAccessWaits(planned, view, now);
  const steps = [...planned, ...waits.bridges];
  const makers = new Map(steps.flatMap((step) => (step.makes === undefined ? [] : [[step.makes, step.id] as const])));
  const personOf = (step: Step): string => personWhoGets(step, view);
  const locks = Map.groupBy(
    steps.filter((step) => does(step, 'lock', 'person') && step.effect === 'change'),
    subjectId,
  );
  const copies = newSnippetsToWaitFor(steps, view);
  const byId = new Map(steps.map((step) => [step.id, step]));
  for (const step of steps) {
    const after = [
      ...step.after,
      ...referencesOf(step).flatMap((name) => makers.get(name) ?? []),
      ...((isGrant(step) ? locks.get(personOf(step)) : undefined) ?? []).map(({ id }) => id),
      ...(waits.after.get(step.id) ?? []),
      ...(copies.get(step.id) ?? []),
    ].filter((id) => id !== step.id && (byId.has(id) || waits.gates.has(id)));
    byId.set(step.id, { ...step, after: [...new Set(after)] });
  }
  addWhereFree(byId, waits);
  const gates = Object.fromEntries([...waits.gates].map(([gate, ids]) => [gate, [...ids]]));
  return { steps: sortTopologically(byId, gates), gates };
}

/**
 * Adds the waits that may be left out, except for steps that wait for the one that would wait for them. This comes last, when
 * all that steps wait for is known: each part alone can be free of a circle, and all of them together have one.
 */
function addWhereFree(steps: Map<string, Step>, { afterIfFree, gates }: AccessWaits): void {
  if (afterIfFree.size === 0) return;
  const waiting = new Map<string, string[]>();
  const note = (prerequisite: string, id: string): void => {
    const waiters = waiting.get(prerequisite);
    if (waiters === undefined) waiting.set(prerequisite, [id]);
    else waiters.push(id);
  };
  for (const { id, after } of steps.values()) for (const prerequisite of after) note(prerequisite, id);
  for (const [gate, ids] of gates) for (const prerequisite of ids) note(prerequisite, gate);
  for (const [id, wanted] of afterIfFree) {
    const step = steps.get(id);
    if (step === undefined) continue;
    const needing = new Set([id]);
    for (const waiter of needing) for (const next of waiting.get(waiter) ?? []) needing.add(next);
    const added = wanted.filter((prerequisite) => !needing.has(prerequisite));
    for (const prerequisite of added) note(prerequisite, id);
    steps.set(id, { ...step, after: [...new Set([...step.after, ...added])] });
  }
}

function isGrant(step: Step): boolean {
  return isJoining(step) || (subjectOf(step) === 'permission' && actOf(step) !== 'delete');
}

/** The call that moves a permission does not name its person. */
function personWhoGets({ params }: Step, view: View): string {
  const { person, permission } = params;
  return person === undefined ? (view.peek('permissions')?.byId.get(idOf(permission))?.person.id ?? '') : idOf(person);
}

/**
 * Finds, for each snippet that is deleted, the new ones of its name, which must stand before it goes. Else a run that is
 * interrupted in between leaves fewer of the name, and the next one takes the last of them over instead of making a new one.
 *
 * @returns ids of the steps that create, by the id of the step that waits
 */
function newSnippetsToWaitFor(steps: readonly Step[], view: View): Map<string, string[]> {
  const creating = steps.filter((step) => does(step, 'create', 'snippet'));
  if (creating.length === 0) return new Map();
  const created = Map.groupBy(creating, ({ body }) => snippetNameKey(body?.name ?? ''));
  const waits = new Map<string, string[]>();
  for (const step of steps) {
    if (!does(step, 'delete', 'snippet')) continue;
    const snippet = view.peek('snippets')?.byId.get(subjectId(step));
    const copies = snippet && created.get(snippetNameKey(snippet.activeVersion.name));
    if (copies !== undefined)
      waits.set(
        step.id,
        copies.map((copy) => copy.id),
      );
  }
  return waits;
}

/** Keeps the given order as far as it can. Long chains must not fill the stack, so this walks with a list of its own. */
function sortTopologically(
  steps: ReadonlyMap<string, Step>,
  gates: Readonly<Record<string, readonly string[]>>,
): Step[] {
  const sorted: Step[] = [];
  const done = new Set<string>();
  const underWay = new Set<string>();
  const open: { id: string; next: number }[] = [];
  const enter = (id: string): void => {
    if (done.has(id)) return;
    if (underWay.has(id)) throw new Error(`the steps around "${id}" wait for each other`);
    underWay.add(id);
    open.push({ id, next: 0 });
  };
  for (const first of steps.keys()) {
    enter(first);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const step = steps.get(top.id);
      const waited = (step?.after ?? gates[top.id])?.[top.next];
      top.next += 1;
      if (waited !== undefined) {
        enter(waited);
        continue;
      }
      open.pop();
      underWay.delete(top.id);
      done.add(top.id);
      if (step !== undefined) sorted.push(step);
    }
  }
  return sorted;
}
