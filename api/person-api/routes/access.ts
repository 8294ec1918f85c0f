import { accessList, accessSchema } from '../resources/access.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

export const accessRoutes = definePersonRoutes('Access', {
  listMyAccess: {
    method: 'GET',
    path: `${personApiPath}/access`,
    summary: 'List the data sources that the person reaches, will reach or has lost lately',
    session: 'whole',
    answer: accessList,
  },
  getMyAccess: {
    method: 'GET',
    path: `${personApiPath}/access/:dataSource`,
    summary: "Get the person's access to one data source",
    session: 'whole',
    answer: accessSchema,
  },
});
