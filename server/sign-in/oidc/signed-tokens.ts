import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { leeway, providerId } from './claims.ts';
import type { OidcIssuer } from './settings.ts';

/** The target of a logout token: a session of the provider, or all sessions of a subject. */
export interface Logout {
  readonly subject: string | undefined;
  readonly session: string | undefined;
  /** Names the token, which works once. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Signatures by a key that only the provider has. An HS256 secret could be derived from the public key. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Greatest age of a logout token, in seconds. */
const logoutAge = 300;
/** Many providers give none, or that of any token. Another one is of a token that was made for something else. */
const logoutTypes = /^(?:application\/)?(?:logout\+)?jwt$/i;
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

const logoutSchema = z
  .looseObject({
    jti: z.string().min(1).max(500),
    iat: z.number(),
    exp: z.number().optional(),
    sub: providerId.optional(),
    sid: providerId.optional(),
    events: z.looseObject({ [logoutEvent]: z.looseObject({}) }),
    nonce: z.never().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

/**
 * Checks the signature of an ID token, which the library leaves to TLS, and for whom the token was made: the library asks that
 * only of one with several audiences.
 *
 * @returns its claims
 * @throws JOSEError, IssuerError
 */
export async function verifyIdToken(token: string, key: JWTVerifyGetKey, settings: OidcIssuer): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, key, expected(settings));
  const { azp = settings.clientId } = payload;
  if (azp === settings.clientId) return payload;
  throw new errors.JWTClaimValidationFailed('unexpected "azp" claim value', payload, 'azp', 'check_failed');
}

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6).
 *
 * @throws JOSEError, ZodError, IssuerError
 */
export async function verifyLogoutToken(token: string, key: JWTVerifyGetKey, settings: OidcIssuer): Promise<Logout> {
  const options = { ...expected(settings), maxTokenAge: logoutAge };
  const { payload, protectedHeader } = await jwtVerify(token, key, options);
  const { typ = 'JWT' } = protectedHeader;
  if (!logoutTypes.test(typ)) {
    throw new errors.JWTClaimValidationFailed('unexpected "typ" header value', payload, 'typ', 'check_failed');
  }
  const { jti, iat, sub, sid } = logoutSchema.parse(payload);
  return { subject: sub, session: sid, id: jti, expiresAt: (iat + logoutAge + 2 * leeway) * 1000 };
}

function expected({ issuer, clientId }: OidcIssuer) {
  return { issuer, audience: clientId, algorithms, clockTolerance: leeway };
}
