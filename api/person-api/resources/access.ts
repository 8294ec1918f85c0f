import { z } from 'zod';
import { timestamp } from '../../fields.ts';
import { dataSourceReference, dataSourceSchema } from '../../resources/data-source.ts';
import { longestManager } from '../../resources/manager.ts';
import { gatewayAddress } from './gateway.ts';

export const accessGrant = z
  .object({
    through: z.enum(['role', 'permission']).meta({ examples: ['permission'] }),
    id: z.string().meta({ description: 'identifier of the role or of the permission', examples: ['17'] }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'of a role; null for a permission', examples: [null] }),
    startsAt: timestamp('2026-11-02T08:30:00.000Z').describe('of a role: when both were in it, and its time began'),
    expiresAt: timestamp('2026-11-02T16:30:00.000Z')
      .nullable()
      .describe('null for a role without a time: as long as both are in it'),
    managedBy: z
      .string()
      .max(longestManager)
      .nullable()
      .meta({
        description: 'who declared it, such as definitions in Git; null if unknown',
        examples: ['rolecall/acme'],
      }),
  })
  .meta({ id: 'AccessGrant', description: 'A role or a permission by which the person reaches a data source.' });

export const accessSchema = z
  .object({
    dataSource: dataSourceReference.extend({ type: dataSourceSchema.shape.type }).meta({ id: 'ReachedDataSource' }),
    allowed: z.boolean().meta({ description: 'whether the person reaches it now', examples: [true] }),
    until: timestamp('2026-11-02T16:30:00.000Z')
      .nullable()
      .describe('when the access ends; null without an end, or without access'),
    detail: z
      .string()
      .nullable()
      .meta({
        description: 'how the access ended, or when it begins; null where there is access, or has been none',
        examples: [null],
      }),
    gateway: gatewayAddress
      .nullable()
      .describe('where own clients connect to it; null if the service knows of no gateway for it'),
    through: z.array(accessGrant).describe('what gives access now'),
    upcoming: z.array(accessGrant).describe('what gives access later'),
    ended: z.array(accessGrant).describe('the permissions and times in roles that ended in the last 30 days'),
  })
  .meta({ id: 'Access', description: "The person's access to one data source." });

export const accessList = z
  .object({
    readAt: timestamp().describe("the moment of the answer, by the store's clock"),
    dataSources: z.array(accessSchema),
    isComplete: z
      .boolean()
      .meta({ description: 'false where there are more grants than one answer has', examples: [true] }),
  })
  .meta({ id: 'AccessList', description: 'The data sources that the person reaches, will reach or has lost lately.' });

export type AccessGrant = z.output<typeof accessGrant>;
export type Access = z.output<typeof accessSchema>;
