/**
 * How a person reaches a data source: as a member of a role, or by a permission for a time. A membership has `from` where it
 * holds later, and `until` where it ends.
 */
export type AccessWay = { role: string; from?: string; until?: string } | { from: string; until: string };

/** What a plan does to one person's access to one data source, now or at a later time that is granted. */
export interface AccessChange {
  /** The username. */
  person: string;
  /** The alias; the name where there is none. */
  dataSource: string;
  /** `changes`: they reach it before and after, in another way or for another time. */
  effect: 'gains' | 'loses' | 'changes';
  before: AccessWay[];
  after: AccessWay[];
}
