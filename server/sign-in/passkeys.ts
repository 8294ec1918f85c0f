import { isIP } from 'node:net';
import type { PasskeyAnswer, PasskeyRegistration } from '@rolecall/api';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Refusal } from '../refusal.ts';
import type { Opened, SecretOf } from './factors.ts';

/** Milliseconds that a browser waits for the person. */
const timeout = 120_000;

/** EdDSA, ES256 and RS256 (COSE). Of others the library asks whether Node has them, which Node warns about. */
const algorithms = [-8, -7, -257];

/** The library is large; most requests do without it. */
const library = () => import('@simplewebauthn/server');

/** True if passkeys can be bound to the service: it needs a name. */
export function canHavePasskeys(origin: string): boolean {
  const { hostname } = new URL(origin);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

/** The name that passkeys are bound to. @throws Refusal sign_in_unavailable, where the service has only an address */
function relyingParty(origin: string): string {
  const { hostname } = new URL(origin);
  if (canHavePasskeys(origin)) return hostname;
  throw new Refusal('sign_in_unavailable', `passkeys need a service with a name, and ${hostname} is an address`);
}

/** The options with which a browser creates a passkey. */
export async function registrationOptions(
  origin: string,
  challenge: Buffer,
  person: { id: string; username: string; name: string; passkeys: readonly Opened<'passkey'>[] },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const rpID = relyingParty(origin);
  return (await library()).generateRegistrationOptions({
    rpName: 'Rolecall',
    rpID,
    userName: person.username,
    userDisplayName: person.name,
    userID: new Uint8Array(Buffer.from(person.id)),
    challenge: new Uint8Array(challenge),
    timeout,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: person.passkeys.map(({ secret }) => ({ id: secret.credential })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** The options with which a browser signs in with any of its passkeys for this service. */
export async function authenticationOptions(
  origin: string,
  challenge: Buffer,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const rpID = relyingParty(origin);
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(challenge),
    timeout,
    userVerification: 'required',
  });
}

/** @returns the new passkey; undefined if the answer of the browser is wrong */
export async function verifyRegistration(
  response: PasskeyRegistration,
  { origin, challenge }: { origin: string; challenge: string },
): Promise<{ secret: SecretOf<'passkey'>; counter: number } | undefined> {
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: relyingParty(origin),
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined);
  if (verified?.registrationInfo === undefined || !(await isOfOwnPage(response))) return undefined;
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  const transports = response.response.transports ?? [];
  return { secret: { credential: id, publicKey: Buffer.from(publicKey).toString('base64'), transports }, counter };
}

/** @returns the new counter of the passkey; undefined if the answer of the browser is wrong */
export async function verifyAuthentication(
  response: PasskeyAnswer,
  { origin, challenge, passkey }: { origin: string; challenge: string; passkey: Opened<'passkey'> },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { secret, counter } = passkey;
  const verified = await verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: relyingParty(origin),
    credential: { id: secret.credential, publicKey: new Uint8Array(Buffer.from(secret.publicKey, 'base64')), counter },
    requireUserVerification: true,
  }).catch(() => undefined);
  if (verified?.verified !== true || !(await isOfOwnPage(response))) return undefined;
  return verified.authenticationInfo.newCounter;
}

/**
 * True if the browser says that the page was in no frame of another site, where a person cannot tell who asks. The library takes an
 * answer from such a frame if the browser does not name that site, as Safari does not.
 */
async function isOfOwnPage({ response }: PasskeyAnswer | PasskeyRegistration): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  const { crossOrigin = false, topOrigin } = decodeClientDataJSON(response.clientDataJSON);
  // The browser's JSON may have anything there.
  return (crossOrigin as unknown) === false && topOrigin === undefined;
}

/** The name by which the store finds a passkey. */
export function passkeyLookup(credential: string): string {
  return `passkey ${credential}`;
}
