import type { SignInError } from '@rolecall/api';

const words: Readonly<Record<SignInError, string>> = {
  cancelled: 'The provider did not let you in, or you cancelled there.',
  provider_failed:
    'The provider did not confirm who you are. Try again, or ask an administrator: the log of the service says why.',
  provider_unavailable: 'The provider cannot be reached at the moment. Try again later, or sign in another way.',
  other_site: 'Another site led you here. To sign in, choose how.',
  other_browser: 'This sign-in was not begun in this browser, or you have begun another one since. Try again.',
  too_late: 'This sign-in was begun too long ago. Try again.',
  used: 'This sign-in was already completed. Try again.',
  not_allowed: 'The provider knows you, but your account there may not use this service. Ask an administrator.',
  unknown_person:
    'The provider knows you, but no person here has your account or a verified e-mail address of it. Ask an administrator.',
  other_account: 'The person with your e-mail address signs in here with another account. Ask an administrator.',
  locked: 'Your account here is locked. Ask an administrator.',
  altered: 'The binding of your account was changed in the database. Ask an administrator.',
};

/**
 * What the page says after a sign-in with a provider that failed. It never shows text of the address.
 *
 * @param search of the address of the page, as in `?error=locked`
 */
export function failureOf(search: string): string | undefined {
  const code = new URLSearchParams(search).get('error');
  if (code === null) return undefined;
  return isKnown(code) ? words[code] : 'The sign-in failed. Try again.';
}

function isKnown(code: string): code is SignInError {
  return Object.hasOwn(words, code);
}
