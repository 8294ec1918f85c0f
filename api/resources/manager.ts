import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** The longest name of a manager, in characters. */
export const longestManager = 100;

/** The header that names the manager of what a client writes: `rolecall/acme`, or `rolecall/acme; exact`. */
export const managerHeader = 'rolecall-manager';
export const managerPattern = /^([!-:<-~]{1,100})(; exact)?$/;

/** The name alone. */
export const managerName = z
  .string()
  .regex(/^[!-:<-~]{1,100}$/, 'must be 1 to 100 visible ASCII characters without a semicolon')
  .meta({ examples: ['rolecall/acme'] });

export const managedSchema = z
  .object({
    kind: z
      .string()
      .describe(
        'the type of the object, such as permission or role_person; after `exact `, the type of the members of a list',
      )
      .meta({ examples: ['permission'] }),
    id: z
      .string()
      .describe(
        "the object's identifier; for a membership, those of role and member with a slash between; for a list, that of its role",
      )
      .meta({ examples: ['42'] }),
    manager: z
      .string()
      .max(longestManager)
      .describe('who last wrote it')
      .meta({ examples: ['rolecall/acme'] }),
    at: timestamp().describe('when'),
  })
  .meta({ id: 'Managed', description: 'An object that a manager wrote, or a list that it keeps exact.' });

export type Managed = z.output<typeof managedSchema>;
