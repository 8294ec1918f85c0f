import type { FactorKind } from '@rolecall/api';
import type { PersonFailure } from '../../http/failed-logins.ts';
import { Refusal } from '../../refusal.ts';
import { deviceCookie, readDevice } from '../../sign-in/known-device.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import type { PersonContext } from '../handler.ts';

/** A guess of a caller: at a password, or at a code. */
export interface Attempt {
  readonly what: 'password' | 'code';
  readonly factor: FactorKind;
  readonly person: string | undefined;
  readonly name: string;
  readonly device: string | undefined;
}

/** Checks a guess, unless too many were wrong. */
export function attempt<T>({ signIn, asker }: PersonContext, guess: Attempt, check: () => Promise<T>): Promise<T> {
  const { factor, person, what, name, device } = guess;
  return signIn.guesses.attempt({ what, name, device, address: asker.address }, check, () => {
    signIn.failed(asker.address, { factor, reason: 'too many attempts' }, person);
  });
}

/** A guess within a session. Where that is whole, only the session itself has a share. */
export function ofSession({ id, person }: LiveSession, what: Attempt['what'], factor: FactorKind): Attempt {
  return { what, factor, person: person.id, name: person.id, device: `session ${id}` };
}

/** The key for counting a guess, with a bound, because anyone can send it. */
export function guessedName(text: string): string {
  return text.normalize('NFC').toLowerCase().slice(0, 100);
}

/** The browser of the caller, if the person has signed in with it before. */
export function deviceOf({ seal, cookie }: PersonContext, person: string): string | undefined {
  return readDevice(seal, cookie.read(deviceCookie), person);
}

type SignInFactor = Exclude<PersonFailure['factor'], 'gateway_password'>;

/** The same words for every cause, so that no one learns who exists or what was right. The audit trail says more. */
export function refuseSignIn(
  { signIn, asker }: PersonContext,
  failure: PersonFailure & { readonly factor: SignInFactor },
  person: string | undefined,
): Refusal {
  signIn.failed(asker.address, failure, person);
  const words: Readonly<Record<SignInFactor, string>> = {
    oidc: 'the provider did not confirm who you are',
    password: 'the username or the password is wrong',
    totp: 'the code is wrong or was used before, or the clock of the device that made it is wrong',
    recovery_code: 'the recovery code is wrong or was used before',
    passkey: 'the passkey is not known here',
    invitation: 'the link is unknown, over or used: ask an administrator for a new one',
  };
  return new Refusal('sign_in_refused', words[failure.factor]);
}

/** Refuses an invitation. */
export function refuseLink(context: PersonContext, person?: string): Refusal {
  return refuseSignIn(
    context,
    { factor: 'invitation', reason: person === undefined ? 'wrong' : 'locked person' },
    person,
  );
}
