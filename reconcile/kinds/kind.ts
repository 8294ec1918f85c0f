import type { DesiredObject, ObjectReference } from '../model/desired.ts';
import type { Diff } from '../model/step.ts';
import type { Scope } from './scope.ts';

/** The part of an observation that all kinds have. */
export interface Observation {
  /** Ids of the objects on the server that the desired object means; exact collections must not remove them. */
  readonly claims: readonly string[];
}

/**
 * The engine's rules for one kind. All three are pure once the view is loaded: the same desires over the same readings give the same steps.
 */
export interface Kind<D extends DesiredObject, O extends Observation> {
  /** The natural key, by which an object on the server is recognised as the one that is meant. */
  key(desired: D): string;
  /** The objects that it refers to. */
  references(desired: D): readonly ObjectReference[];
  /**
   * The ids that it claims where the view has it exactly as declared, so that `observe` and `diff` would find nothing to do
   * and nothing to say. Most objects of most plans are like that, and comparing thousands of them must cost little. Undefined otherwise.
   */
  settled?(desired: D, scope: Scope): readonly string[] | undefined;
  /** Finds in the view all that `diff` needs to know. */
  observe(desired: D, scope: Scope): Promise<O>;
  /** Returns the calls that lead from the observed to the desired state; none if they agree. */
  diff(desired: D, observed: O): Diff;
}
