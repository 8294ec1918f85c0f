import type { AccessLevel } from '../access-levels.ts';
import type { ProblemCode } from '../problems.ts';
import { type Declared, type Defined, fillIn, type Operation, operationProblems } from '../route.ts';

/** The path under which people's own routes are. API keys have no way in here, and sessions none into `/api/v2`. */
export const personApiPath = '/person/v1';

/**
 * The session that a route needs.
 *
 * - `none`: none; the caller is unknown.
 * - `pending`: one whose second factor may still be missing.
 * - `enrolling`: one that sets up factors: it was opened for that, or is as recent as for `recent`.
 * - `whole`: one of a person who has signed in.
 * - `recent`: a whole one whose person has proven who they are within the last ten minutes, by as many factors as they sign in with.
 */
export const neededSessions = ['none', 'pending', 'enrolling', 'whole', 'recent'] as const;
export type NeededSession = (typeof neededSessions)[number];

/** Objects in a path that belong to one person. What belongs to another person does not exist for the caller. */
export const ownedObjects = ['session', 'factor', 'editor', 'query', 'snippet', 'password', 'gatewaySession'] as const;
export type OwnedObject = (typeof ownedObjects)[number];

/** One operation of the person's API. Its rule is here, and is held before its handler runs. */
export interface PersonRoute extends Operation {
  readonly session: NeededSession;
  /** The parameter of the path that names something of the person's own. */
  readonly ownObject?: OwnedObject;
  /** Of a snippet: what the person must be allowed to do with it. More than `read_only` is refused while it is locked. */
  readonly level?: Exclude<AccessLevel, 'none'>;
  /** Set where the person must reach the data source that the path, or the object in it, belongs to: now, by the gate. */
  readonly reaches?: true;
  /** Set where only administrators may do it: the members of the role that the service is told to take for that. */
  readonly admin?: true;
  /** Content types of an answer that is not JSON, such as `text/csv`; `redirect` for an answer without a body. */
  readonly sends?: readonly string[];
}

/** Declares operations of the person's API, as `defineRoutes` declares those for API keys. */
export function definePersonRoutes<const T extends Record<string, Declared<PersonRoute>>>(
  tag: string,
  table: T,
): { [Id in keyof T & string]: Defined<Id, T[Id]> } {
  return fillIn(tag, table);
}

/** The problems that an operation of the person's API can answer with. */
export function personProblemsOf(route: PersonRoute): ProblemCode[] {
  const callers: ProblemCode[] = ['cross_site_request', 'sign_in_unavailable'];
  if (route.session !== 'none') callers.push('signed_out');
  const { session } = route;
  if (session !== 'none' && session !== 'pending') callers.push('second_factor_required');
  if (session === 'recent' || session === 'enrolling') callers.push('recent_sign_in_required');
  if (route.admin === true) callers.push('not_administrator');
  if (route.reaches === true) callers.push('access_ended');
  if (route.level !== undefined && route.level !== 'read_only') callers.push('snippet_level_too_low', 'snippet_locked');
  return operationProblems(route, { caller: callers });
}
