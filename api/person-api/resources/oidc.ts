import { z } from 'zod';

/** The id of an issuer in the settings of the service. */
export const issuerId = z
  .string()
  .regex(/^[a-z0-9-]{1,50}$/, 'must be 1 to 50 small letters, digits and hyphens')
  .meta({ description: 'id of the provider', examples: ['company'] });

/** Why a sign-in with a provider failed, as the address of the page says it: `/sign-in?error=CODE`. */
export const signInErrors = [
  'cancelled',
  'provider_failed',
  'provider_unavailable',
  'other_site',
  'other_browser',
  'too_late',
  'used',
  'not_allowed',
  'unknown_person',
  'other_account',
  'locked',
  'altered',
] as const;
export type SignInError = (typeof signInErrors)[number];

export const signInOptionsSchema = z
  .object({
    password: z.boolean().meta({ description: 'whether people can sign in with a password' }),
    passkeys: z.boolean().meta({ description: 'whether they can with a passkey, which needs a service with a name' }),
    issuers: z.array(z.object({ id: issuerId, name: z.string().meta({ examples: ['Company'] }) })),
  })
  .meta({ id: 'SignInOptions', description: 'The ways to sign in at this service.' });

/** A path of the service's own: one that begins with two slashes would lead to another host. */
export const ownPath = z
  .string()
  .max(2000)
  // Written without \p, which generators of requests do not know.
  .regex(
    /^\/(?:[^/\\\s\u0000-\u001f\u007f-\u009f][^\\\s\u0000-\u001f\u007f-\u009f]*)?$/,
    'must be a path of this service',
  )
  .meta({ examples: ['/'] });

export type SignInOptions = z.output<typeof signInOptionsSchema>;
