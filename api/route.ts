import type { z } from 'zod';
import { nothing } from './fields.ts';
import { type ParamsOf, paramsOf } from './path-parameters.ts';
import type { ProblemCode } from './problems.ts';

/** Scopes of an API key; each includes the ones before it. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Operations that a key limited to data sources may call.
 *
 * - `path`: only paths with one of the key's data sources.
 * - `object`: only paths with a permission, editor or query on one of them.
 * - `list`: everything, but the answer lists only what belongs to them.
 * - `open`: the same as for any key.
 * - `refused`: nothing.
 */
export type LimitedKeys = 'path' | 'object' | 'list' | 'open' | 'refused';

/** The specification shows forms; every form operation accepts the same fields as JSON too. */
export type BodyEncoding = 'form' | 'json';

/** An operation's request and answer. Routing, validation, the client and OpenAPI are derived from it. */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  /** In the specification's notation: `/api/v2/person/:person`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Those that the path names. */
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body?: { readonly encoding: BodyEncoding; readonly schema: z.ZodType };
  readonly answer: z.ZodType;
  /** This operation's own problems; `problemsOf` adds those that every operation can return. */
  readonly problems: readonly ProblemCode[];
}

/** One operation of the specification, for callers with an API key. */
export interface Route extends Operation {
  /** A second method that the specification's example uses for the same operation. */
  readonly alsoMethod?: Method;
  /** `none` if the operation needs no key. */
  readonly scope: Scope | 'none';
  /** Required, so that a new operation cannot forget it. */
  readonly limitedKeys: LimitedKeys;
  /** The operation creates something, so it accepts an Idempotency-Key. */
  readonly creates?: true;
  /** The operation that reads what this one changes: If-Match is compared with the ETag of its answer. */
  readonly changes?: string;
}

/** An operation as declared; `fillIn` adds the rest. */
export type Declared<R extends Operation> = Omit<R, 'operationId' | 'tag' | 'params' | 'query' | 'problems'> &
  Partial<Pick<R, 'query' | 'problems'>>;

type Nothing = typeof nothing;

/** A declared route with its defaults filled in and its schemas' types kept. */
export type Defined<Id, T extends Partial<Operation>> = Omit<T, 'query'> & {
  operationId: Id;
  tag: string;
  params: ParamsOf<T['path']>;
  query: T['query'] extends z.ZodObject ? T['query'] : Nothing;
  problems: readonly ProblemCode[];
};

/**
 * Declares the operations of one resource, by operation id.
 *
 * @param tag the resource's name, by which the documentation groups them
 */
export function defineRoutes<const T extends Record<string, Declared<Route>>>(
  tag: string,
  table: T,
): { [Id in keyof T & string]: Defined<Id, T[Id]> } {
  return fillIn(tag, table);
}

/** Fills in the defaults of a resource's operations. */
export function fillIn<const T extends Record<string, Declared<Operation>>>(
  tag: string,
  table: T,
): { [Id in keyof T & string]: Defined<Id, T[Id]> } {
  const defined = Object.entries(table).map(([operationId, route]) => [
    operationId,
    { query: nothing, problems: [], ...route, params: paramsOf(route.path), operationId, tag },
  ]);
  // Object.fromEntries loses which key has which value; the mapped type restores it.
  return Object.fromEntries(defined) as { [Id in keyof T & string]: Defined<Id, T[Id]> };
}

/** The problems that an operation can return: its own, and those that follow from its request. */
export function problemsOf(route: Route): ProblemCode[] {
  return operationProblems(route, {
    caller: route.scope === 'none' ? [] : ['unauthenticated', 'insufficient_scope'],
    conditions: [
      ...(route.creates === undefined ? [] : (['invalid_idempotency_key', 'idempotency_key_reused'] as const)),
      ...(route.changes === undefined ? [] : (['precondition_failed'] as const)),
    ],
  });
}

/**
 * Adds the problems of every operation to those of one.
 *
 * @param callers.caller the problems of authentication and authorization
 * @param callers.conditions the problems of conditional headers
 */
export function operationProblems(
  route: Operation,
  { caller, conditions = [] }: { caller: readonly ProblemCode[]; conditions?: readonly ProblemCode[] },
): ProblemCode[] {
  const takesParameters = Object.keys(route.params.shape).length > 0;
  return [
    'malformed_request',
    ...(takesParameters || Object.keys(route.query.shape).length > 0 ? (['malformed_parameter'] as const) : []),
    ...caller,
    ...(takesParameters ? (['not_found', 'uri_too_long'] as const) : []),
    ...conditions,
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

/** True if a key with the scope `held` may call an operation that requires `needed`. */
export function scopeAllows(held: Scope, needed: Route['scope']): boolean {
  return needed === 'none' || scopes.indexOf(held) >= scopes.indexOf(needed);
}
