import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { scopes } from '../route.ts';

/** The longest token that the service accepts, in characters. */
export const longestToken = 12_000;

export const tokenToExchange = z.strictObject({
  token: z
    .string()
    .min(1)
    .max(longestToken)
    .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'must be a JSON Web Token: three parts of base64url with dots between')
    .meta({
      description: "an OpenID Connect token signed by the pipeline's platform",
      examples: ['e30.e30.e30'],
    }),
});

/** Shells evaluate the identifier and the secret, so other characters would be dangerous. */
export const exchangedKey = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9]{12}$/)
      .meta({ examples: ['k3Jf9sWqL0aZ'] }),
    secret: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .meta({ examples: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] }),
    scope: z.enum(scopes),
    dataSources: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'identifiers of the data sources that the key is limited to; null if it is not limited',
        examples: [null],
      }),
    expiresAt: timestamp(),
  })
  .meta({ id: 'ExchangedKey' });
export type ExchangedKey = z.output<typeof exchangedKey>;
