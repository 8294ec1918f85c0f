import { z } from 'zod';
import { shortId, timestamp } from '../fields.ts';
import { dataSourceReference } from './data-source.ts';
import { personReference } from './person.ts';

export const gatewaySessionId = shortId('c7Tq1mZx9VbN').describe('identifier of the session of the gateway');

export const gatewaySession = z
  .object({
    id: gatewaySessionId,
    person: personReference,
    dataSource: dataSourceReference,
    protocol: z.enum(['postgresql', 'mysql']).meta({ description: 'what its client speaks' }),
    startedAt: timestamp(),
    until: timestamp('2026-11-02T16:30:00.000Z').nullable().describe('when the access ends; null without an end'),
    address: z.string().meta({ description: 'the address that it was opened from', examples: ['192.0.2.7'] }),
    client: z.string().meta({ description: 'what the client says it is', examples: ['psql'] }),
    process: z.string().meta({ description: 'the process of the gateway that has it', examples: ['gateway-1/4711'] }),
  })
  .meta({ id: 'GatewaySession', description: 'An open session of a person through the gateway.' });

/** Sessions on a page. */
export const gatewaySessionsAPage = 100;

export const gatewaySessionPage = z
  .object({
    sessions: z.array(gatewaySession),
    isComplete: z.boolean().meta({ description: 'false where more sessions follow', examples: [true] }),
  })
  .meta({ id: 'GatewaySessionPage', description: 'Open sessions through the gateway, the newest first.' });

export type GatewaySession = z.output<typeof gatewaySession>;
