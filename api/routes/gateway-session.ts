import { emptyObject } from '../fields.ts';
import { administrationSearch } from '../person-api/resources/administration.ts';
import { gatewaySessionPage } from '../resources/gateway-session.ts';
import { defineRoutes } from '../route.ts';

export const gatewaySessionRoutes = defineRoutes('Gateway', {
  listGatewaySessions: {
    method: 'GET',
    path: '/api/v2/gateway-session',
    summary: "List everyone's open sessions through the gateway",
    scope: 'admin',
    limitedKeys: 'refused',
    query: administrationSearch,
    answer: gatewaySessionPage,
  },
  endGatewaySession: {
    method: 'DELETE',
    path: '/api/v2/gateway-session/:gatewaySession',
    summary: 'End a session through the gateway',
    description:
      'Its client is told so within a second. It may connect again as long as its person has access and a password.',
    scope: 'admin',
    limitedKeys: 'refused',
    answer: emptyObject,
  },
});
