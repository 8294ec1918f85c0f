import { z } from 'zod';
import { emptyObject } from '../../fields.ts';
import { ownPath, signInErrors, signInOptionsSchema } from '../resources/oidc.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const path = `${personApiPath}/sign-in/oidc/:issuer` as const;

export const oidcRoutes = definePersonRoutes('Sign-in', {
  getSignInOptions: {
    method: 'GET',
    path: `${personApiPath}/sign-in`,
    summary: 'List the ways to sign in',
    session: 'none',
    answer: signInOptionsSchema,
  },
  beginOidcSignIn: {
    method: 'GET',
    path,
    summary: 'Begin to sign in with an OpenID provider',
    description: 'Redirects the browser to the provider, or to the page if the provider cannot be reached.',
    session: 'none',
    sends: ['redirect'],
    query: z.strictObject({
      returnTo: ownPath.optional().meta({ description: 'where the browser goes after it' }),
      fresh: z
        .literal('true')
        .optional()
        .meta({ description: 'asks the person to prove who they are although the provider knows them still' }),
    }),
    answer: emptyObject,
    problems: ['provider_unavailable'],
  },
  finishOidcSignIn: {
    method: 'GET',
    path: `${path}/callback`,
    summary: 'End a sign-in with an OpenID provider',
    description: `The provider redirects the browser here, and this opens the session and redirects it on. After a sign-in that failed, it redirects to \`/sign-in?error=CODE\`, with one of ${signInErrors.map((code) => `\`${code}\``).join(', ')}.`,
    session: 'none',
    sends: ['redirect'],
    query: z.looseObject({}),
    answer: emptyObject,
    problems: ['sign_in_refused', 'provider_unavailable'],
  },
  endSessionsOfProvider: {
    method: 'POST',
    path: `${path}/back-channel-logout`,
    summary: 'End the sessions that an OpenID provider has ended',
    description: 'For providers (OpenID Connect Back-Channel Logout 1.0).',
    session: 'none',
    body: {
      encoding: 'form',
      // A provider may send other fields, which count for nothing (section 2.5).
      schema: z.object({
        // A request without it is answered as one with a wrong one is, by 400 (section 2.8).
        logout_token: z
          .string()
          .max(16_000)
          .default('')
          .meta({ examples: ['eyJhbGciOiJSUzI1NiJ9.e30.c2ln'] }),
      }),
    },
    answer: emptyObject,
    problems: ['logout_token_refused', 'provider_unavailable'],
  },
});
