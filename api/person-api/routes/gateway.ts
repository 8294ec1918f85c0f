import { z } from 'zod';
import { emptyObject } from '../../fields.ts';
import { gatewayPassword, myGatewaySession, newGatewayPassword, passwordWanted } from '../resources/gateway.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

export const gatewayRoutes = definePersonRoutes('Gateway', {
  createGatewayPassword: {
    method: 'POST',
    path: `${personApiPath}/data-source/:dataSource/gateway-password`,
    summary: 'Make a short-lived password for the gateway',
    description:
      'Opens connections to this data source with clients such as psql. It ends with the access and with the session at the latest.',
    session: 'whole',
    reaches: true,
    body: { encoding: 'json', schema: passwordWanted },
    answer: newGatewayPassword,
  },
  listMyGatewayPasswords: {
    method: 'GET',
    path: `${personApiPath}/gateway-password`,
    summary: "List the person's passwords for the gateway",
    session: 'whole',
    answer: z.array(gatewayPassword),
  },
  endMyGatewayPassword: {
    method: 'DELETE',
    path: `${personApiPath}/gateway-password/:password`,
    summary: 'End a password for the gateway, and the connections that it has opened',
    session: 'whole',
    ownObject: 'password',
    answer: emptyObject,
  },
  listMyGatewaySessions: {
    method: 'GET',
    path: `${personApiPath}/gateway-session`,
    summary: "List the person's open sessions through the gateway, the newest first",
    description: 'At most 1000.',
    session: 'whole',
    answer: z.array(myGatewaySession),
  },
  endMyGatewaySession: {
    method: 'DELETE',
    path: `${personApiPath}/gateway-session/:gatewaySession`,
    summary: "End one of the person's sessions through the gateway",
    session: 'whole',
    ownObject: 'gatewaySession',
    answer: emptyObject,
  },
});
