import type { PersonRequestOf } from '@rolecall/api';

type Registration = NonNullable<PersonRequestOf<'addFactors'>['body']['passkey']>['credential'];
type Answer = PersonRequestOf<'signInWithPasskey'>['body']['credential'];

/** Passkeys belong to a name: at a numeric address there are none. */
const isNumeric = /^[0-9.]+$|^\[/.test(location.hostname);

/** True if the browser has passkeys here, and takes their options as JSON. */
export const hasPasskeys =
  !isNumeric && 'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** Lets the browser make a passkey. @param options as the service gave them @throws Error if the person declines */
export async function createPasskey(options: object): Promise<Registration> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    // The service answers what WebAuthn defines.
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  // The service validates it.
  return toJson(await navigator.credentials.create({ publicKey })) as Registration;
}

/** Lets the person prove a passkey. @param options as the service gave them @throws Error if the person declines */
export async function provePasskey(options: object): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    // The service answers what WebAuthn defines.
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  // The service validates it.
  return toJson(await navigator.credentials.get({ publicKey })) as Answer;
}

function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.');
  return credential.toJSON();
}
