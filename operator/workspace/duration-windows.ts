/** Permissions and memberships that declare only a length and have not begun: their windows are fixed as they are granted. */

import { mapping } from '@rolecall/crds';
import { does, isJoining, label, roleKey, type Step, timesOf } from '@rolecall/reconcile';
import type { DeclaredObject } from '../resources/parse.ts';
import type { Outcome } from '../status/conditions.ts';
import { granting } from '../status/outcomes.ts';
import { isTimed } from '../status/permission-window.ts';
import type { GatheredState } from './desired-state.ts';

/** The windows that begin in one reconcile. */
export class DurationWindows {
  readonly #state: GatheredState;
  readonly #writeDown: (declared: DeclaredObject, outcome: Outcome) => Promise<void>;
  readonly #begun = new Set<string>();

  /** @param writeDown writes an outcome into the status of an object */
  constructor(state: GatheredState, writeDown: (declared: DeclaredObject, outcome: Outcome) => Promise<void>) {
    this.#state = state;
    this.#writeDown = writeDown;
  }

  /** Writes down the windows that a step grants, before it does: after a crash, the same windows are granted. */
  async before(step: Step): Promise<void> {
    for (const name of this.#grantedBy(step)) {
      const declared = this.#state.declared.get(name);
      if (!this.#state.beginning.has(name) || declared === undefined || !isTimed(declared.definition)) continue;
      const { startsAt, expiresAt } = declared.definition.spec;
      await this.#writeDown(declared, { ...granting, startsAt, expiresAt });
      this.#begun.add(name);
    }
  }

  /** The objects whose windows a step grants: one call has all times of a person in a role, whichever objects declare them. */
  #grantedBy(step: Step): string[] {
    const name = label(step.object);
    if (does(step, 'create', 'permission')) return [name];
    const membership = this.#state.desired.get(name);
    if (!isJoining(step) || membership?.kind !== 'RoleMembership' || membership.member.kind !== 'Person') return [];
    const all = [...this.#state.beginning].flatMap((objectName) => this.#state.desired.get(objectName) ?? []);
    const ofRole = all
      .filter((object) => object.kind === 'RoleMembership')
      .filter(({ role }) => roleKey(role) === roleKey(membership.role));
    return timesOf(ofRole, membership.member.username)
      .filter(({ paused, observeOnly }) => !paused && !observeOnly)
      .map(label);
  }

  /** True if an object has a window. One that waits, is paused or only observed has none, and loses nothing of its length. */
  hasBegun(name: string): boolean {
    return !this.#state.beginning.has(name) || this.#begun.has(name) || this.#begun.has(this.#ownerOf(name));
  }

  /** True if an older object declares the same and may begin in this reconcile: then both begin together. */
  follows(name: string): boolean {
    return this.#state.beginning.has(name) && this.#state.beginning.has(this.#ownerOf(name));
  }

  #ownerOf(name: string): string {
    return this.#state.conflicts.get(name)?.owner ?? '';
  }
}

/** A step as an observed permission reports it: a window that begins now would be another one in each reconcile. */
export function withoutMoment(step: Step, declared: DeclaredObject | undefined): Step {
  if (!does(step, 'create', 'permission') || declared?.definition.kind !== 'Permission') return step;
  const { person, dataSource } = declared.definition.spec;
  const { duration } = mapping(declared.object.spec);
  const length = typeof duration === 'number' ? `${duration} s` : String(duration);
  return { ...step, summary: `grant ${person} ${dataSource} for ${length}` };
}
