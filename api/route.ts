import type { z } from 'zod';
import { nothing } from './fields.ts';
import type { ProblemCode } from './problems.ts';

/** What an API key may do; each scope includes the ones before it. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What a key that is limited to data sources may do with an operation.
 *
 * - `path`: it works where the data source in the path is one of the key's.
 * - `object`: it works where the permission, editor or query in the path belongs to one of them.
 * - `list`: it answers only what belongs to them.
 * - `open`: it works as for any key.
 * - `refused`: it is refused.
 */
export type LimitedKeys = 'path' | 'object' | 'list' | 'open' | 'refused';

/** Forms are what the specification shows; every form operation takes the same fields as JSON too. */
export type BodyEncoding = 'form' | 'json';

/** One operation of the specification, from which routing, validation, the client and OpenAPI are made. */
export interface Route {
  readonly operationId: string;
  readonly method: Method;
  /** A second method that the specification's example uses for the same operation. */
  readonly alsoMethod?: Method;
  /** In the specification's notation: `/api/v2/person/:person`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `none` where no key is needed. */
  readonly scope: Scope | 'none';
  /** Each operation decides, so that a new one cannot forget to. */
  readonly limitedKeys: LimitedKeys;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body?: { readonly encoding: BodyEncoding; readonly schema: z.ZodType };
  readonly answer: z.ZodType;
  /** Set where the operation makes something: then it takes an Idempotency-Key. */
  readonly creates?: true;
  /** The operation that shows what this one changes: an If-Match is held to the ETag of its answer. */
  readonly changes?: string;
  /** The problems that are this operation's own; those that any operation can have are added by `problemsOf`. */
  readonly problems: readonly ProblemCode[];
}

type Declared = Omit<Route, 'operationId' | 'tag' | 'params' | 'query' | 'problems'> &
  Partial<Pick<Route, 'params' | 'query' | 'problems'>>;

type Nothing = typeof nothing;

/** A declared route with what it left out filled in, its schemas' types kept. */
type Defined<Id, T extends Declared> = Omit<T, 'params' | 'query'> & {
  operationId: Id;
  tag: string;
  params: T['params'] extends z.ZodObject ? T['params'] : Nothing;
  query: T['query'] extends z.ZodObject ? T['query'] : Nothing;
  problems: readonly ProblemCode[];
};

/**
 * Declares the operations of one resource; the key of each is its operation id.
 *
 * @param tag the resource's name, under which the documentation groups them
 */
export function defineRoutes<const T extends Record<string, Declared>>(
  tag: string,
  table: T,
): { [Id in keyof T & string]: Defined<Id, T[Id]> } {
  const defined = Object.entries(table).map(([operationId, route]) => [
    operationId,
    { params: nothing, query: nothing, problems: [], ...route, operationId, tag },
  ]);
  // Object.fromEntries forgets which key had which value; the mapped type says what the loop above did.
  return Object.fromEntries(defined) as { [Id in keyof T & string]: Defined<Id, T[Id]> };
}

/**
 * The problems that an operation can answer with: its own, and those that follow from what it takes.
 */
export function problemsOf(route: Route): ProblemCode[] {
  const takesParameters = Object.keys(route.params.shape).length > 0;
  return [
    'malformed_request',
    ...(takesParameters || Object.keys(route.query.shape).length > 0 ? (['malformed_parameter'] as const) : []),
    ...(route.scope === 'none' ? [] : (['unauthenticated', 'insufficient_scope'] as const)),
    ...(takesParameters ? (['not_found', 'uri_too_long'] as const) : []),
    ...(route.creates === undefined ? [] : (['invalid_idempotency_key', 'idempotency_key_reused'] as const)),
    ...(route.changes === undefined ? [] : (['precondition_failed'] as const)),
    'method_not_allowed',
    'not_acceptable',
    'request_timeout',
    'payload_too_large',
    'unsupported_media_type',
    ...(route.body === undefined ? [] : (['invalid_fields'] as const)),
    'too_many_requests',
    'headers_too_large',
    ...route.problems,
    'internal_error',
    'unavailable',
    ...(route.method === 'GET' ? [] : (['audit_trail_broken', 'storage_full'] as const)),
  ];
}

/** Whether a key with the scope `held` may do what needs the scope `needed`. */
export function scopeAllows(held: Scope, needed: Route['scope']): boolean {
  return needed === 'none' || scopes.indexOf(held) >= scopes.indexOf(needed);
}
