import type { RolePerson } from '@rolecall/api';
import { holds, holdsYet, isOpen, isSameWindow, type MembershipWindows } from '../model/membership-window.ts';
import { idOf, type Step } from '../model/step.ts';
import { does, isJoining, subjectOf, windowsOf } from '../operations/table.ts';
import type { View } from '../view/view.ts';

/** The most that the service's clock may be ahead. */
export const skewMs = 60_000;

/** A membership that gives nothing yet. */
export interface LaterMembership {
  readonly person: string;
  readonly role: string;
  readonly step: string;
  readonly status: 'added' | 'removed';
}

/** Judges memberships that hold at certain times by the moment of a plan: outside of their times they give nothing. */
export class MembershipTimes {
  readonly #view: View;
  readonly #now: Date;
  /** The service's clock may be ahead: what begins within a moment may hold there already. */
  readonly #soon: Date;
  readonly #members = new Map<string, ReadonlyMap<string, RolePerson> | undefined>();

  constructor(view: View, now: Date) {
    this.#view = view;
    this.#now = now;
    this.#soon = new Date(now.getTime() + skewMs);
  }

  /** The people of a role who have it now; undefined where they were not read. */
  membersOf(role: string): ReadonlyMap<string, RolePerson> | undefined {
    if (!this.#members.has(role)) this.#members.set(role, this.#currentOf(role));
    return this.#members.get(role);
  }

  #currentOf(role: string): ReadonlyMap<string, RolePerson> | undefined {
    const all = this.#view.peek(`rolePeople ${role}`);
    if (all === undefined || all.all.every(({ windows }) => windows === undefined)) return all?.byId;
    return new Map([...all.byId].filter(([, { windows }]) => this.#holdsBefore(windows)));
  }

  #holdsBefore(windows: MembershipWindows): boolean {
    return holds(windows, this.#now) || holds(windows, this.#soon);
  }

  /** True if a membership holds once a step has run. Only one that was there may hold ahead of this clock. */
  #holdsAfter(windows: MembershipWindows, previous: MembershipWindows): boolean {
    if (holds(windows, this.#now)) return true;
    return (
      windows?.some((window) => isOpen(window, this.#soon) && previous?.some((time) => isSameWindow(time, window))) ===
      true
    );
  }

  /** Returns a step's effect on who is in a role now; undefined if it has none. */
  statusOf(step: Step): 'added' | 'removed' | undefined {
    const { isBefore, isAfter } = this.#look(step);
    if (isBefore === isAfter) return undefined;
    return isAfter ? 'added' : 'removed';
  }

  /** Returns a step's effects on who will be in a role only later. */
  laterOf(step: Step): LaterMembership[] {
    if (subjectOf(step) !== 'role_person') return [];
    const { isBefore, isAfter, before, after, isMember } = this.#look(step);
    if (isBefore || isAfter) return [];
    const common = { person: idOf(step.params.person), role: idOf(step.params.role), step: step.id };
    if (isJoining(step)) return holdsYet(after, this.#now) ? [{ ...common, status: 'added' }] : [];
    return isMember && holdsYet(before, this.#now) ? [{ ...common, status: 'removed' }] : [];
  }

  #look(step: Step) {
    const member = this.#view.peek(`rolePeople ${idOf(step.params.role)}`)?.byId.get(idOf(step.params.person));
    const [before, after] = [member?.windows, windowsOf(step)];
    const isMember = member !== undefined;
    // A person who is taken out was in: where the list was not read, the plan knows.
    const isRemoval = does(step, 'delete', 'role_person');
    const isBefore = isMember ? this.#holdsBefore(before) : isRemoval;
    const isAfter = isJoining(step) && this.#holdsAfter(after, before);
    return { isMember, before, after, isBefore, isAfter };
  }
}
