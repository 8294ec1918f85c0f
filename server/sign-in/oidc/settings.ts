import { z } from 'zod';
import { parseSettings } from '../../settings-error.ts';
import { issuerUrl } from '../../tokens/rules.ts';

const text = z.string().min(1).max(500);
const texts = z.array(text).min(1).max(100);
const claimValue = z.union([text, z.boolean(), z.number()]);

const issuerSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]{1,50}$/, 'must be 1 to 50 small letters, digits and hyphens'),
    name: z.string().min(1).max(100),
    issuer: issuerUrl,
    clientId: text,
    clientSecretFile: text.optional(),
    clientSecretEnv: text.optional(),
    clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'must be a scope, without spaces'))
      .max(50)
      .refine((scopes) => scopes.includes('openid'), 'must have openid')
      .default(['openid', 'email']),
    claims: z.record(z.string().min(1), z.union([claimValue, z.array(claimValue).min(1).max(100)])).default({}),
    bindByEmail: z.boolean().default(true),
    twoFactor: z
      .union([
        z.boolean(),
        z
          .strictObject({ amr: texts.optional(), acr: texts.optional() })
          .refine(({ amr, acr }) => amr !== undefined || acr !== undefined, 'must have amr or acr'),
      ])
      .default(false),
  })
  .refine(({ clientSecretFile, clientSecretEnv }) => clientSecretFile === undefined || clientSecretEnv === undefined, {
    path: ['clientSecretEnv'],
    message: 'is given beside clientSecretFile: give one of the two',
  });

const settingsSchema = z
  .strictObject({ issuers: z.array(issuerSchema).min(1).max(20) })
  .superRefine(({ issuers }, context) => {
    for (const field of ['id', 'issuer'] as const) {
      for (const [index, issuer] of issuers.entries()) {
        if (issuers.findIndex((other) => other[field] === issuer[field]) === index) continue;
        context.addIssue({ code: 'custom', path: ['issuers', index, field], message: 'is that of another issuer' });
      }
    }
  });

/** A provider with which people sign in. */
export type OidcIssuer = z.output<typeof issuerSchema> & {
  /** Secret that `clientSecretFile` or `clientSecretEnv` names; undefined for a public client. */
  readonly clientSecret?: string | undefined;
};

/** Reads the content of the file of `--oidc`, parsed. The secrets that it names are not read. @throws SettingsError */
export function parseOidc(value: unknown): OidcIssuer[] {
  return parseSettings(settingsSchema, value).issuers;
}
