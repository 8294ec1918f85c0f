import { z } from 'zod';
import { shortId, timestamp } from '../../fields.ts';
import { dataSourceReference } from '../../resources/data-source.ts';
import { gatewaySession } from '../../resources/gateway-session.ts';

export const gatewayPasswordId = shortId('g2Hd7pXw4TzM').describe('identifier of the password');

export const passwordWanted = z.strictObject({
  minutes: z
    .int()
    .min(1)
    .max(24 * 60)
    .optional()
    .meta({ description: 'how long it can open connections; default 60', examples: [60] }),
});

export const gatewayAddress = z
  .object({
    host: z.string().meta({ examples: ['gateway.example.com'] }),
    port: z.int().meta({ examples: [6432] }),
  })
  .meta({ id: 'GatewayAddress', description: 'Where clients connect to the gateway.' });

const fields = {
  id: gatewayPasswordId,
  dataSource: dataSourceReference,
  createdAt: timestamp(),
  expiresAt: timestamp('2026-11-02T09:30:00.000Z').describe('when it opens no connection any more'),
};

export const gatewayPassword = z
  .object(fields)
  .meta({ id: 'GatewayPassword', description: 'A short-lived password for the gateway, for one data source.' });

const exampleUri = 'postgresql://ada:d3cMzT0x@gateway.example.com:6432/shop';

export const newGatewayPassword = z
  .object({
    ...fields,
    gateway: gatewayAddress
      .nullable()
      .describe('where clients connect; null if the service knows of no gateway for this kind of data source'),
    user: z.string().meta({ description: 'the user to log in as', examples: ['ada'] }),
    database: z.string().meta({ description: 'the database to connect to', examples: ['shop'] }),
    password: z.string().meta({
      description: 'shown once, and stored nowhere',
      examples: ['d3cMzT0xJ6nB8wQv5yKsR2hLfA7uGp1eXoIiVtNkWcE'],
    }),
    settings: z
      .object({
        uri: z.string().meta({ description: 'a connection URI, with the password', examples: [exampleUri] }),
        jdbc: z.string().meta({ description: 'a URL for JDBC, with the password', examples: [`jdbc:${exampleUri}`] }),
        command: z.string().meta({
          description: 'a command of a shell, without the password, which it asks for',
          examples: ["psql 'postgresql://ada@gateway.example.com:6432/shop'"],
        }),
      })
      .nullable()
      .describe('the same as clients take it; null without a gateway'),
  })
  .meta({ id: 'NewGatewayPassword', description: 'A password for the gateway, with what a client needs to use it.' });

export const myGatewaySession = gatewaySession
  .omit({ person: true, process: true })
  .meta({ id: 'MyGatewaySession', description: 'An open session of the person through the gateway.' });

export type NewGatewayPassword = z.output<typeof newGatewayPassword>;
