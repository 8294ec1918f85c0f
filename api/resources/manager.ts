import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The longest name of a manager, in characters. */
export const longestManager = 100;

/** The header by which a client says who manages what it writes: `rolecall/acme`, or `rolecall/acme; exact`. */
export const managerHeader = 'rolecall-manager';
export const managerPattern = /^([!-:<-~]{1,100})(; exact)?$/;

export const managedSchema = z
  .object({
    kind: z
      .string()
      .describe('what it is, such as permission or role_person; with `exact ` before it, the list of these')
      .meta({ examples: ['permission'] }),
    id: z
      .string()
      .describe(
        'identifier; of a membership, those of role and member with a slash between; of a list, that of its role',
      )
      .meta({ examples: ['42'] }),
    manager: z
      .string()
      .max(longestManager)
      .describe('who last wrote it')
      .meta({ examples: ['rolecall/acme'] }),
    at: timestamp().describe('when'),
  })
  .meta({ id: 'Managed', description: 'An object that a manager wrote, or a list that it runs exactly.' });

export type Managed = z.output<typeof managedSchema>;
