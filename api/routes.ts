import type { z } from 'zod';
import type { Route } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { dataSourceRoutes } from './routes/data-source.ts';
import { declarationRoutes } from './routes/declaration.ts';
import { editorRoutes } from './routes/editor.ts';
import { gatewaySessionRoutes } from './routes/gateway-session.ts';
import { invitationRoutes } from './routes/invitation.ts';
import { leaseRoutes } from './routes/lease.ts';
import { managerRoutes } from './routes/manager.ts';
import { permissionRoutes } from './routes/permission.ts';
import { personRoutes } from './routes/person.ts';
import { queryRoutes } from './routes/query.ts';
import { roleRoutes } from './routes/role.ts';
import { sessionRoutes } from './routes/session.ts';
import { snapshotRoutes } from './routes/snapshot.ts';
import { snippetRoutes } from './routes/snippet.ts';
import { tokenRoutes } from './routes/token.ts';

/** The route table: every operation of the specification and those that Rolecall adds, by operation id. */
export const routes = {
  ...dataSourceRoutes,
  ...personRoutes,
  ...invitationRoutes,
  ...sessionRoutes,
  ...gatewaySessionRoutes,
  ...roleRoutes,
  ...permissionRoutes,
  ...managerRoutes,
  ...declarationRoutes,
  ...leaseRoutes,
  ...snapshotRoutes,
  ...snippetRoutes,
  ...editorRoutes,
  ...queryRoutes,
  ...auditRoutes,
  ...tokenRoutes,
};

export type Routes = typeof routes;
export type OperationId = keyof Routes;

/** The same table, typed for code that handles any operation. */
export const routeTable: Readonly<Record<OperationId, Route>> = routes;

export const operationIds = Object.keys(routes) as OperationId[];

type BodyOf<R> = R extends { body: { schema: infer S extends z.ZodType } } ? S : undefined;

/** Leaves out the parts that an operation does not have. */
type Part<Name extends string, Schema, Fields> = Schema extends z.ZodType
  ? string extends keyof Fields // the input of `nothing`, which has no fields
    ? unknown
    : Partial<Fields> extends Fields
      ? { [K in Name]?: Fields }
      : { [K in Name]: Fields }
  : unknown;

type Parts = { params: z.ZodType; query: z.ZodType; answer: z.ZodType };

/** The request that a client makes: path parameters, query string and body, as far as the route has them. */
export type RequestTo<R extends Parts> = Part<'params', R['params'], z.input<R['params']>> &
  Part<'query', R['query'], z.input<R['query']>> &
  (BodyOf<R> extends infer S extends z.ZodType ? { body: z.input<S> } : unknown);

/** The parsed and validated request that a route's handler receives. */
export interface ParsedBy<R extends Parts> {
  params: z.output<R['params']>;
  query: z.output<R['query']>;
  body: BodyOf<R> extends infer S extends z.ZodType ? z.output<S> : undefined;
}

/** The request that a client makes to an operation. */
export type RequestOf<Id extends OperationId> = RequestTo<Routes[Id]>;

/** The request that an operation's handler receives. */
export type ParsedRequest<Id extends OperationId> = ParsedBy<Routes[Id]>;

/** The answer of an operation. */
export type AnswerOf<Id extends OperationId> = z.output<Routes[Id]['answer']>;
