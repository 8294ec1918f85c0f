import type { PasskeyAnswer } from '@rolecall/api';
import {
  challengeCookie,
  challengeOver,
  challengeSeconds,
  newChallenge,
  readChallenge,
  spendChallenge,
  spentColumn,
} from '../../sign-in/challenge.ts';
import { openFactor } from '../../sign-in/factors.ts';
import { authenticationOptions, passkeyLookup, verifyAuthentication } from '../../sign-in/passkeys.ts';
import { UniqueError } from '../../store/errors.ts';
import { findFactorByLookup } from '../../store/sign-in-factor.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext } from '../handler.ts';
import { refuseSignIn } from './attempt.ts';
import { useFactor } from './use-factor.ts';

/** Gives the browser a challenge for a passkey. @param purpose the only purpose that the answer may serve */
export async function beginPasskey({ store, seal, signIn, origin, cookie }: PersonContext, purpose: string) {
  // No session was looked up, which would have asked the store for its time.
  await store.read((executor) => signIn.clock.refresh(executor));
  const { token, challenge } = newChallenge({ seal, clock: signIn.clock }, purpose);
  const options = await authenticationOptions(origin() ?? '', challenge);
  cookie.keep(challengeCookie, token, challengeSeconds);
  return asJson(options);
}

/** Verifies the signature of a passkey. @returns its person, and a function that uses it and its challenge up within a write */
export async function verifyPasskey(context: PersonContext, purpose: string, credential: PasskeyAnswer) {
  const { store, seal, signIn, origin, cookie } = context;
  const token = cookie.read(challengeCookie);
  const passkey = await store.read(async (executor) => {
    await signIn.clock.refresh(executor);
    const row = await findFactorByLookup(executor, passkeyLookup(credential.id));
    return row === undefined || row.kind !== 'passkey' ? undefined : openFactor(seal, row, 'passkey');
  });
  const challenge = readChallenge({ seal, clock: signIn.clock }, purpose, token);
  if (token === undefined || challenge === undefined) throw challengeOver();
  const refuse = () => refuseSignIn(context, { factor: 'passkey', reason: 'wrong' }, passkey?.person);
  // The lookup is not sealed, but the row that it finds is.
  if (passkey === undefined || passkey.secret.credential !== credential.id) throw refuse();
  const counter = await verifyAuthentication(credential, { origin: origin() ?? '', challenge, passkey });
  if (counter === undefined) throw refuse();
  return {
    person: passkey.person,
    use: async (executor: Executor): Promise<void> => {
      if (!(await useFactor(executor, passkey, counter))) throw refuse();
      await spendChallenge(executor, seal, token);
    },
  };
}

/** @throws Refusal sign_in_refused, where the challenge was used before */
export async function spendOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UniqueError && error.column === spentColumn) throw challengeOver();
    throw error;
  }
}

/** Options of WebAuthn have fields that are undefined, which JSON has not. */
export function asJson(options: object): Record<string, never> {
  return JSON.parse(JSON.stringify(options)) as Record<string, never>;
}
