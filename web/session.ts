import { signal } from '@preact/signals';
import type { Me } from '@rolecall/api';
import { call, Problem, setCsrfToken, whenExchanged, whenSignedOut } from './person-client.ts';

/** Person who is signed in: `undefined` until the service has answered, `null` for no one. */
export const me = signal<Me | null | undefined>(undefined);

/** Why the session ended, in words; for the page of the sign-in. */
export const ended = signal<string | undefined>(undefined);

/** Shows the sign-in. @param why the session ended, as a clause such as "your account is locked" */
export function signedOut(why = 'your session has ended'): void {
  ended.value = `${why.charAt(0).toUpperCase()}${why.slice(1)}. Sign in again to go on.`;
  me.value = null;
}

whenSignedOut(() => {
  if (me.value) signedOut();
  me.value = null;
});

whenExchanged(async () => {
  const previousPerson = me.value?.person.id;
  await loadSession();
  return previousPerson !== undefined && me.value?.person.id === previousPerson;
});

/** Goes on with a session that the service has just opened, or that it still knows. */
export function takeSession(answer: Me): void {
  setCsrfToken(answer.csrfToken);
  ended.value = undefined;
  me.value = answer;
}

/** Asks the service who is signed in. @throws Unreachable */
export async function loadSession(): Promise<void> {
  try {
    takeSession(await call('getMe', {}));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code !== 'signed_out' && error.code !== 'sign_in_unavailable') throw error;
    if (error.code === 'sign_in_unavailable') ended.value = error.message;
    me.value = null;
  }
}

export async function signOut(): Promise<void> {
  await call('signOut', {});
  ended.value = 'You have signed out.';
  me.value = null;
}
