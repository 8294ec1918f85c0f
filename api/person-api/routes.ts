import type { z } from 'zod';
import type { ParsedBy, RequestTo } from '../routes.ts';
import type { PersonRoute } from './route.ts';
import { accessRoutes } from './routes/access.ts';
import { administrationRoutes } from './routes/administration.ts';
import { myEditorRoutes } from './routes/editor.ts';
import { eventRoutes } from './routes/event.ts';
import { factorRoutes } from './routes/factor.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { loginRoutes } from './routes/login.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { myQueryRoutes } from './routes/query.ts';
import { schemaRoutes } from './routes/schema.ts';
import { sessionRoutes } from './routes/session.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { mySnippetRoutes } from './routes/snippet.ts';

/** The route table of the person's API: what people do themselves, each with a session of their own. */
export const personRoutes = {
  ...accessRoutes,
  ...administrationRoutes,
  ...myEditorRoutes,
  ...myQueryRoutes,
  ...factorRoutes,
  ...eventRoutes,
  ...schemaRoutes,
  ...gatewayRoutes,
  ...sessionRoutes,
  ...mySnippetRoutes,
  ...signInRoutes,
  ...loginRoutes,
  ...oidcRoutes,
};

export type PersonRoutes = typeof personRoutes;
export type PersonOperationId = keyof PersonRoutes;

/** The same table for code that does not care which operation it has. */
export const personRouteTable: Readonly<Record<PersonOperationId, PersonRoute>> = personRoutes;

export const personOperationIds = Object.keys(personRoutes) as PersonOperationId[];

/** Request as a client gives it to an operation. */
export type PersonRequestOf<Id extends PersonOperationId> = RequestTo<PersonRoutes[Id]>;

/** Request as a server's handler receives it. */
export type ParsedPersonRequest<Id extends PersonOperationId> = ParsedBy<PersonRoutes[Id]>;

/** Answer of an operation. */
export type PersonAnswerOf<Id extends PersonOperationId> = z.output<PersonRoutes[Id]['answer']>;
