import { z } from 'zod';
import { emptyObject } from '../../fields.ts';
import { meSchema, sessionSchema } from '../resources/session.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

export const sessionRoutes = definePersonRoutes('Sessions', {
  getMe: {
    method: 'GET',
    path: `${personApiPath}/me`,
    summary: 'Get the person who is signed in',
    session: 'pending',
    answer: meSchema,
  },
  signOut: {
    method: 'POST',
    path: `${personApiPath}/sign-out`,
    summary: 'End the session',
    session: 'pending',
    answer: emptyObject,
  },
  listMySessions: {
    method: 'GET',
    path: `${personApiPath}/session`,
    summary: "List the person's sessions",
    session: 'whole',
    answer: z.array(sessionSchema),
  },
  endMySession: {
    method: 'DELETE',
    path: `${personApiPath}/session/:session`,
    summary: "End one of the person's sessions",
    session: 'recent',
    ownObject: 'session',
    answer: emptyObject,
  },
});
