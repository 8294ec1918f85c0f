import { z } from 'zod';
import { OidcRefusal } from './refusal.ts';
import type { OidcIssuer } from './settings.ts';

/** Whom the provider has signed in. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined unless the provider says that it has verified the address. */
  readonly email: string | undefined;
  /** The provider's own session, for back-channel logout. */
  readonly session: string | undefined;
  readonly isTwoFactor: boolean;
  /** Time at which the person proved their identity, in milliseconds since 1970; undefined where the provider does not say. */
  readonly provenAt: number | undefined;
}

/** By how much the clocks of provider and service may differ, in seconds. */
export const leeway = 10;

/** Names a person or a session at the provider. PostgreSQL stores no NUL. */
export const providerId = z.string().regex(/^[^\0]{1,255}$/);

/** The claims that the service reads from an ID token and the userinfo endpoint. */
export const claimsSchema = z.looseObject({
  sub: providerId,
  sid: providerId.optional(),
  iat: z.number(),
  email: z.string().max(320).optional(),
  email_verified: z.union([z.boolean(), z.literal(['true', 'false'])]).optional(),
  auth_time: z.number().optional(),
  acr: z.string().optional(),
  amr: z.array(z.string()).optional(),
});
type Claims = z.output<typeof claimsSchema>;

/** True if an ID token has all claims that decide; many providers answer some only at the userinfo endpoint. */
export function haveAll(claims: Claims, { claims: wanted, bindByEmail }: OidcIssuer): boolean {
  const needed = [...Object.keys(wanted), ...(bindByEmail ? ['email', 'email_verified'] : [])];
  return needed.every((name) => claims[name] !== undefined);
}

/** Claims that count only together: a value, and whether the provider has verified it. */
const pairs = [
  ['email', 'email_verified'],
  ['phone_number', 'phone_number_verified'],
] as const;

/**
 * Adds to the claims of an ID token what the userinfo endpoint says. A pair comes from one document, or one document would vouch for
 * what the other says: from the ID token if it has both.
 */
export function addUserinfo(token: Claims, userinfo: Readonly<Record<string, unknown>>): Claims {
  // Claims about the sign-in itself count only if they are in the signed token.
  const aboutSignIn = { sid: undefined, auth_time: undefined, acr: undefined, amr: undefined };
  const joined: Record<string, unknown> = { ...userinfo, ...aboutSignIn, ...token };
  for (const pair of pairs) {
    const isWhole = (claims: Readonly<Record<string, unknown>>) => pair.every((name) => claims[name] !== undefined);
    const isOfToken = isWhole(token) || (token[pair[0]] !== undefined && !isWhole(userinfo));
    for (const name of pair) joined[name] = (isOfToken ? token : userinfo)[name];
  }
  return claimsSchema.parse(joined);
}

/** @throws Refusal for a person whom the settings keep out */
export function requireClaims(claims: Claims, settings: OidcIssuer): void {
  for (const [name, wanted] of Object.entries(settings.claims)) {
    const verified = claims[`${name}_verified`];
    const counts = Object.hasOwn(claims, name) && verified !== false && verified !== 'false';
    const values = [counts ? claims[name] : undefined].flat() as readonly unknown[];
    const allowed: readonly unknown[] = [wanted].flat();
    if (values.some((value) => allowed.includes(value))) continue;
    throw new OidcRefusal(
      'not_allowed',
      `${settings.name} signed you in, but its claim ${name} is not one of those that may use this service`,
    );
  }
}

/** Makes an identity of the claims about a person. */
export function identityOf(
  { sub, sid, email, email_verified: verified, amr, acr, ...times }: Claims,
  { issuer, twoFactor }: OidcIssuer,
): Identity {
  return {
    issuer,
    subject: sub,
    email: verified === true || verified === 'true' ? email : undefined,
    session: sid,
    isTwoFactor:
      typeof twoFactor === 'boolean'
        ? twoFactor
        : (amr ?? []).some((method) => twoFactor.amr?.includes(method)) ||
          (acr !== undefined && twoFactor.acr?.includes(acr) === true),
    provenAt: provenAtOf(times),
  };
}

/** By the provider's clock, so only the age counts. After the token itself it is no time in seconds, and would always be recent. */
function provenAtOf({ auth_time: at, iat }: Pick<Claims, 'auth_time' | 'iat'>): number | undefined {
  return at === undefined || at > iat + leeway ? undefined : Math.max(0, Date.now() - (iat - at) * 1000);
}
