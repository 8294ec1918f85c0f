import { label, type Step } from '@rolecall/reconcile';
import { labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import type { Outcome } from '../status/conditions.ts';
import { failed, howToRelease, waiting, waitingFor, withReleaseHint } from '../status/outcomes.ts';
import type { ReconcileContext } from './context.ts';
import { type PlannedDeletion, removal } from './deletions.ts';
import { handOver } from './hand-over.ts';
import type { Ran } from './run-plan.ts';

/** Lets deleted objects go as what each had goes, and tells why those stay that stay. */
export class DeletionReport {
  readonly #context: ReconcileContext;
  readonly #left: Map<string, PlannedDeletion>;
  readonly #made = new Set<string>();

  constructor(context: ReconcileContext, deletions: readonly PlannedDeletion[]) {
    this.#context = context;
    this.#left = new Map(deletions.map((deletion) => [labelOf(deletion.declared.object), deletion]));
  }

  /** Takes a step that succeeded. */
  made({ id }: Step): void {
    this.#made.add(id);
  }

  /** Releases an object whose own steps have all succeeded. */
  ran(name: string): void {
    const deletion = this.#left.get(name);
    if (deletion !== undefined && deletion.heir === undefined && this.#isGone(deletion)) this.#release(name, deletion);
  }

  /**
   * Releases or reports all others once the run has ended.
   *
   * @param heirs the objects that were planned, by label
   * @param isPostponed tells whether an object has steps that are left to a later reconcile
   * @param causes the objects for which steps did not run, by the label of the object that has these
   */
  async finish(
    ran: Ran,
    heirs: ReadonlyMap<string, DeclaredObject>,
    isPostponed: (name: string) => boolean,
    causes: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const [name, deletion] of this.#left) {
      if (!(await this.#handOver(deletion, heirs.get(deletion.heir ?? '')))) continue;
      if (this.#isGone(deletion)) this.#release(name, deletion);
      else this.#reportStaying(name, deletion, ran, isPostponed, causes.get(name));
    }
  }

  #reportStaying(
    name: string,
    { declared, ending, stays }: PlannedDeletion,
    ran: Ran,
    isPostponed: (name: string) => boolean,
    cause: string | undefined,
  ): void {
    const { status, refused } = this.#context;
    const failure = ran.failed.get(name);
    if (failure !== undefined) {
      const outcome = { ...failure.outcome, message: withReleaseHint(declared.object, failure.outcome.message) };
      if (ran.refused.has(name)) refused.add(name, removal, outcome);
      status.report(declared, outcome, failure.error);
      return;
    }
    if (typeof stays === 'object') {
      status.report(declared, stays);
      return;
    }
    const owners = ending.map(({ object }) => label(object));
    if ([name, ...owners].some(isPostponed)) return;
    const [owner = name] = owners;
    const outcome = cause === undefined ? goesWith(owner) : waitingFor(cause);
    status.report(declared, outcome, ran.failed.get(owner)?.error);
  }

  /**
   * Hands what a deleted object has to the object that declares it still, even to one that a rail holds back: else it would stay for ever.
   *
   * @returns false where that failed, and is tried again
   */
  async #handOver({ declared, absent }: PlannedDeletion, heir: DeclaredObject | undefined): Promise<boolean> {
    if (absent === undefined || heir === undefined || declared.problem !== undefined) return true;
    try {
      await handOver(this.#context, heir, 'id' in absent ? absent.id : undefined);
      return true;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#context.status.report(declared, failed(error), error);
      return false;
    }
  }

  /** True if nothing of an object is left in the workspace, except for what is another object's. */
  #isGone({ declared, heir, ending, stays }: PlannedDeletion): boolean {
    if (declared.problem !== undefined) return false;
    if (ending.length > 0) return ending.some(({ id }) => this.#made.has(id));
    return heir !== undefined || stays === undefined || stays === 'released';
  }

  #release(name: string, { declared }: PlannedDeletion): void {
    this.#left.delete(name);
    this.#context.status.release(declared);
  }
}

const goesWith = (owner: string): Outcome =>
  waiting('Waiting', `It goes together with ${owner}, which could not be removed. ${howToRelease}`);
