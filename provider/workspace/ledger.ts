import { stateKey } from '../plugin/framework/resource.ts';
import { type MemberSubject, meetings, type ObjectKey, type State, type Subject } from './meetings.ts';

/**
 * The states of the objects in one Terraform command. Terraform plans and applies each resource by itself, in any order. So each enters
 * here what becomes of an object, and whichever comes second is refused where the two may not meet.
 */
export class Ledger {
  /** By the key of Terraform's state: the states of the object, each with the resource that entered it first. */
  readonly #objects = new Map<string, Map<State, string>>();

  /** True if any resource entered one of these states. */
  has({ type, id }: ObjectKey, ...states: readonly State[]): boolean {
    const entered = this.#objects.get(stateKey(type, id));
    return states.some((state) => entered?.has(state) === true);
  }

  /** Notes states that are refused nothing. */
  note(object: ObjectKey, ...states: readonly State[]): void {
    for (const state of states) this.#statesOf(object).set(state, '');
  }

  /** Takes a note back. */
  withdraw(object: ObjectKey, state: State): void {
    this.#statesOf(object).delete(state);
  }

  /**
   * Enters a state of an object. It stands before the promise is returned, so that nothing comes between.
   *
   * @param resource the one that enters it, where that matters
   * @param predecessor the same resource as it was planned before: Terraform plans one that is to be replaced twice
   * @throws DiagnosticError where it may not meet a state that another resource entered
   */
  async enter(subject: Subject | MemberSubject, state: State, resource = '', predecessor?: string): Promise<void> {
    const states = this.#statesOf(subject);
    const meeting = meetings.find(({ states: pair, unless }) => {
      if (!pair.includes(state) || (unless !== undefined && states.has(unless))) return false;
      const holder = states.get(otherOf(pair, state));
      return holder !== undefined && !(pair[0] === pair[1] && holder === predecessor);
    });
    if (!states.has(state)) states.set(state, resource);
    if (meeting !== undefined) throw await meeting.refusal(subject, states.get(otherOf(meeting.states, state)) ?? '');
  }

  /**
   * Forgets what was entered, as between two commands. What was adopted stays, until another plan begins with its refresh: an object
   * that a replacement took over must not go with the one before it.
   *
   * @param call what Terraform asks for next
   */
  beginAgain(call: 'plan' | 'read'): void {
    for (const [key, states] of this.#objects) {
      if (call === 'plan' && states.has('adopted')) this.#objects.set(key, new Map([['adopted', '']]));
      else this.#objects.delete(key);
    }
  }

  #statesOf({ type, id }: ObjectKey): Map<State, string> {
    const key = stateKey(type, id);
    const entered = this.#objects.get(key) ?? new Map<State, string>();
    this.#objects.set(key, entered);
    return entered;
  }
}

const otherOf = ([first, second]: readonly [State, State], state: State): State => (first === state ? second : first);
