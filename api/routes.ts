import type { z } from 'zod';
import type { Route } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { dataSourceRoutes } from './routes/data-source.ts';
import { editorRoutes } from './routes/editor.ts';
import { managerRoutes } from './routes/manager.ts';
import { permissionRoutes } from './routes/permission.ts';
import { personRoutes } from './routes/person.ts';
import { queryRoutes } from './routes/query.ts';
import { roleRoutes } from './routes/role.ts';
import { snippetRoutes } from './routes/snippet.ts';
import { tokenRoutes } from './routes/token.ts';

/** The route table: every operation of the specification and what is added to it, by its operation id. */
export const routes = {
  ...dataSourceRoutes,
  ...personRoutes,
  ...roleRoutes,
  ...permissionRoutes,
  ...managerRoutes,
  ...snippetRoutes,
  ...editorRoutes,
  ...queryRoutes,
  ...auditRoutes,
  ...tokenRoutes,
};

export type Routes = typeof routes;
export type OperationId = keyof Routes;

/** The same table for code that does not care which operation it has. */
export const routeTable: Readonly<Record<OperationId, Route>> = routes;

export const operationIds = Object.keys(routes) as OperationId[];

type BodyOf<R> = R extends { body: { schema: infer S extends z.ZodType } } ? S : undefined;
type ParamsOf<Id extends OperationId> = Routes[Id]['params'];
type QueryOf<Id extends OperationId> = Routes[Id]['query'];

/** Leaves out the parts that an operation does not take. */
type Part<Name extends string, Schema, Fields> = Schema extends z.ZodType
  ? string extends keyof Fields // the input of `nothing`, which has no fields
    ? unknown
    : Partial<Fields> extends Fields
      ? { [K in Name]?: Fields }
      : { [K in Name]: Fields }
  : unknown;

/** What a client gives to an operation: path parameters, query string and body, each where the operation takes it. */
export type RequestOf<Id extends OperationId> = Part<'params', ParamsOf<Id>, z.input<ParamsOf<Id>>> &
  Part<'query', QueryOf<Id>, z.input<QueryOf<Id>>> &
  (BodyOf<Routes[Id]> extends infer S extends z.ZodType ? { body: z.input<S> } : unknown);

/** What a server's handler receives, parsed and validated. */
export interface ParsedRequest<Id extends OperationId> {
  params: z.output<ParamsOf<Id>>;
  query: z.output<QueryOf<Id>>;
  body: BodyOf<Routes[Id]> extends infer S extends z.ZodType ? z.output<S> : undefined;
}

/** What an operation answers. */
export type AnswerOf<Id extends OperationId> = z.output<Routes[Id]['answer']>;
