import { z } from 'zod';
import { emptyObject } from '../fields.ts';
import { personSession } from '../resources/session.ts';
import { defineRoutes } from '../route.ts';

export const sessionRoutes = defineRoutes('Sessions', {
  listSessions: {
    method: 'GET',
    path: '/api/v2/session',
    summary: "List everyone's sessions",
    scope: 'admin',
    limitedKeys: 'refused',
    answer: z.array(personSession),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/v2/session/:session',
    summary: 'End a session of a person',
    description: 'The service refuses its token from the next request on.',
    scope: 'admin',
    limitedKeys: 'refused',
    answer: emptyObject,
  },
});
