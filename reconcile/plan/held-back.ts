import { type DesiredObject, holdBack, label } from '../model/desired.ts';
import { type Judged, type Refusal, type Step } from '../model/step.ts';
import { does, isTaking, operationOf, subjectId, subjectOf } from '../operations/table.ts';
import { leaveOut } from './leave-out.ts';
import type { OrderedSteps } from './order.ts';

/** Refusals about the declared objects that they name. */
export const ofObjects = (refusals: readonly Refusal[]): Judged[] =>
  refusals.map((refusal) => ({ refusal, holds: 'objects' }));

/** The refusal for which each step does not run, by the step's id. */
type Causes = Map<string, Refusal>;

/** True if a step locks or deletes a person. */
const shutsOut = (step: Step): boolean => subjectOf(step) === 'person' && isTaking(step);

/** Gathers over several plans what is refused, each without the objects that were refused before. */
export class HeldBack {
  /** The refusals that hold an object up, by its label. */
  readonly byObject = new Map<string, Refusal[]>();
  /** The refusals that hold up the removal of what a deleted definition has, by its label. */
  readonly byAbsent = new Map<string, Refusal[]>();
  /** The refusals that hold up a removal of what no definition ever declared. */
  readonly ofUndeclared: Refusal[] = [];
  /** Ids of undeclared people, data sources and roles whose removal is held up. */
  readonly kept = new Set<string>();
  readonly #objects: readonly DesiredObject[];
  /** The labels of objects that are refused themselves. Of others that `byObject` has, only some calls are. */
  readonly #refused = new Set<string>();
  #labels: ReadonlySet<string> | undefined;
  readonly #refusals: Refusal[] = [];
  /** Refusals of steps, by what tells them apart: where the rest is planned again, the same one may be found again. */
  readonly #ofSteps = new Map<string, Refusal>();
  /** The steps that do not run, and why. What was held up of one plan is held up of the next, whose refusals are about less. */
  readonly #causes: Causes = new Map();
  #holdsAll = false;

  constructor(objects: readonly DesiredObject[]) {
    this.#objects = objects;
  }

  /** The objects, those that were refused left as they are. */
  apply(objects: readonly DesiredObject[]): readonly DesiredObject[] {
    if (this.#refused.size === 0) return objects;
    return objects.map((object) => (this.#refused.has(label(object)) ? holdBack(object) : object));
  }

  /** Takes refusals of objects. @returns whether any is new, so that the rest must be planned without those objects */
  takeObjects(judged: readonly Judged[]): boolean {
    const held = new Set(this.#refused);
    for (const { refusal, holds } of judged) {
      const names =
        holds === 'objects' ? refusal.objects.filter((name) => this.#objectLabels.has(name) && !held.has(name)) : [];
      if (names.length > 0) this.#refusals.push(refusal);
      for (const name of names) {
        this.#refused.add(name);
        hold(this.byObject, name, refusal);
      }
    }
    return this.#refused.size > held.size;
  }

  /**
   * Takes refusals of steps, which were planned without the refused objects.
   *
   * @returns the steps that may run: a step that waits for one that is held up is held up too, as if that had failed
   */
  takeSteps(judged: readonly Judged[], { steps, gates }: OrderedSteps): Step[] {
    for (const judgement of judged) this.#takeRefusal(judgement, steps);
    const running = leaveOut({ steps, gates }, this.#causes);
    for (const step of steps) {
      const refusal = step.object.deleted === true ? this.#causes.get(step.id) : undefined;
      if (refusal !== undefined) this.#holdStep(step, refusal);
    }
    return running;
  }

  /**
   * Takes the steps that waited for what refused objects are not going to do: planned as if these were paused, nothing waits for it any
   * more, and what it was to replace would go. People are locked and deleted whatever waits.
   *
   * @param first the plan with all objects
   * @param current the plan without the refused ones
   * @param isOneByOne true if objects are deleted one by one, as in a cluster
   */
  takeWaiting(first: OrderedSteps, current: OrderedSteps, isOneByOne = false): void {
    if (this.#refused.size === 0) return;
    const planned = new Set(current.steps.map(({ id }) => id));
    const causes: Causes = new Map();
    for (const { id, object } of first.steps) {
      // Two objects may ask for one call, which has the name of one of them. What is undeclared goes or stays for reasons of its own.
      const refusal = this.byObject.get(label(object))?.[0] ?? this.#refusals[0];
      if (refusal !== undefined && object.undeclared !== true && !planned.has(id)) causes.set(id, refusal);
    }
    leaveOut(first, causes);
    for (const step of current.steps) {
      const refusal = causes.get(step.id);
      // Someone has deleted that one object: it does not wait until all others are right.
      const isOwn = isOneByOne && step.object.deleted === true;
      if (refusal !== undefined && !shutsOut(step) && !isOwn) this.#holdStep(step, refusal);
    }
  }

  /**
   * Takes the removals that do not run. What they would have taken along needs calls of its own again: else someone who is not
   * deleted would stay in the roles that no longer list them.
   *
   * @returns whether any is new, so that the rest must be planned without them
   */
  takeRemovals(planned: readonly Step[], running: readonly Step[]): boolean {
    if (this.#holdsAll) return false;
    const countBefore = this.kept.size;
    const isRunning = new Set(running.map(({ id }) => id));
    // Who is locked all the same reaches nothing, and would not be locked without their removal.
    const locked = new Set(running.filter((step) => does(step, 'lock', 'person')).map(subjectId));
    for (const step of planned) {
      const takesAlong = operationOf(step).along !== undefined;
      if (step.object.undeclared !== true || isRunning.has(step.id) || !takesAlong) continue;
      if (!locked.has(subjectId(step))) this.kept.add(subjectId(step));
    }
    return this.kept.size > countBefore;
  }

  #takeRefusal({ refusal: newRefusal, holds }: Judged, steps: readonly Step[]): void {
    // Two definitions of one object are found again, though both are left as they are.
    if (holds === 'objects' && newRefusal.objects.some((name) => this.#refused.has(name))) return;
    const key = newRefusal.override ?? JSON.stringify(newRefusal);
    const refusal = this.#ofSteps.get(key) ?? newRefusal;
    if (refusal === newRefusal) this.#refusals.push(refusal);
    this.#ofSteps.set(key, refusal);
    if (holds === 'all') this.#holdsAll = true;
    const ids = new Set(holds === 'all' || holds === 'objects' ? steps.map(({ id }) => id) : holds);
    for (const step of steps) if (ids.has(step.id)) this.#holdStep(step, refusal);
  }

  #holdStep({ id, object }: Step, refusal: Refusal): void {
    this.#causes.set(id, refusal);
    if (object.deleted === true) hold(this.byAbsent, label(object), refusal);
    else if (object.undeclared !== true) {
      if (this.#objectLabels.has(label(object))) hold(this.byObject, label(object), refusal);
    } else if (!this.ofUndeclared.includes(refusal)) this.ofUndeclared.push(refusal);
  }

  get refusals(): readonly Refusal[] {
    return this.#refusals;
  }

  /** The labels of all objects, made when something is refused: most plans refuse nothing. */
  get #objectLabels(): ReadonlySet<string> {
    return (this.#labels ??= new Set(this.#objects.map(label)));
  }
}

function hold(held: Map<string, Refusal[]>, name: string, refusal: Refusal): void {
  const refusals = held.get(name) ?? [];
  held.set(name, refusals);
  if (!refusals.includes(refusal)) refusals.push(refusal);
}
