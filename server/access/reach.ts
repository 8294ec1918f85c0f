/** One grant by which a person reaches a data source. Times are milliseconds since 1970, by the store's clock. */
export interface Grant {
  readonly through: 'role' | 'permission';
  /** The id of the role or of the permission. */
  readonly id: string;
  /** The name of the role; empty for a permission. */
  readonly name: string;
  /** The first moment of access; minus infinity for a role without a start, and for a permission that began when it was made. */
  readonly from: number;
  /** The first moment without access; infinity for a role without an end. */
  readonly until: number;
}

/** The stored facts about one person and one data source. */
export interface Facts {
  readonly person: 'present' | 'locked' | 'missing';
  readonly dataSource: 'present' | 'missing';
  readonly grants: readonly Grant[];
}

/** Why a person does not reach a data source. */
export type Denial =
  | { readonly reason: 'person_deleted' | 'person_locked' | 'data_source_deleted' | 'not_granted' }
  /** A permission, or a role for a time, covered the person until now, and nothing covers them after it. */
  | {
      readonly reason: 'access_ended';
      readonly grant: Grant;
      /** The grant with which the access begins again, if there is one. */
      readonly next?: Grant;
    }
  /** Nothing covers the person until a grant begins. */
  | { readonly reason: 'access_upcoming'; readonly grant: Grant };

/** The answer to: does this person reach this data source at this moment? */
export type Reach =
  | {
      readonly allowed: true;
      /** The first moment that no grant covers; infinity while a role does. */
      readonly until: number;
      /** The grants that cover the moment, the longest first. */
      readonly through: readonly Grant[];
    }
  | ({ readonly allowed: false } & Denial);

/**
 * Decides whether a person reaches a data source at a moment, and until when. Grants that overlap or touch count as one:
 * the end of a grant which another one covers ends nothing.
 *
 * @param at milliseconds since 1970
 */
export function reachAt({ person, dataSource, grants }: Facts, at: number): Reach {
  if (person === 'missing') return { allowed: false, reason: 'person_deleted' };
  if (dataSource === 'missing') return { allowed: false, reason: 'data_source_deleted' };
  if (person === 'locked') return { allowed: false, reason: 'person_locked' };
  const through = grants.filter(({ from, until }) => from <= at && at < until).sort((a, b) => b.until - a.until);
  const [longest] = through;
  if (longest === undefined) return { allowed: false, ...whyNone(grants, at) };
  return { allowed: true, until: endOfCover(grants, longest.until), through };
}

function endOfCover(grants: readonly Grant[], end: number): number {
  let until = end;
  for (const grant of grants.toSorted((a, b) => a.from - b.from)) {
    if (grant.from > until) break;
    until = Math.max(until, grant.until);
  }
  return until;
}

function whyNone(grants: readonly Grant[], at: number): Denial {
  const real = grants.filter(({ from, until }) => from < until);
  const last = real
    .filter(({ until }) => until <= at)
    .toSorted((a, b) => a.until - b.until)
    .at(-1);
  const next = real
    .filter(({ from }) => at < from)
    .toSorted((a, b) => a.from - b.from)
    .at(0);
  if (last !== undefined) return { reason: 'access_ended', grant: last, ...(next === undefined ? {} : { next }) };
  return next === undefined ? { reason: 'not_granted' } : { reason: 'access_upcoming', grant: next };
}
