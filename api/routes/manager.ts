import { z } from 'zod';
import { managedSchema } from '../resources/manager.ts';
import { defineRoutes } from '../route.ts';

export const managerRoutes = defineRoutes('Managers', {
  listManaged: {
    method: 'GET',
    path: '/api/v2/manager',
    summary: 'List who last wrote what',
    description:
      'Clients identify themselves with the header `rolecall-manager`, such as `rolecall/acme`. With `; exact` after the name, they say that they remove what they do not declare from the list that they write to. Objects that were only written without the header are not listed.',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(managedSchema),
  },
});
