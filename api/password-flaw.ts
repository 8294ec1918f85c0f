/** What nobody can have meant of a password: it comes along where one is pasted, or is what is left of a missing one. */
export type PasswordFlaw = 'empty' | 'blank' | 'line-break' | 'byte-order-mark';

/**
 * Finds what is wrong with the password of a database, which no query would say: it would only fail to log in. An empty one
 * would take away the one that is in use.
 */
export function passwordFlaw(password: string): PasswordFlaw | undefined {
  if (password === '') return 'empty';
  if (password.trim() === '') return 'blank';
  if (/[\r\n]$/.test(password)) return 'line-break';
  return password.startsWith('\uFEFF') ? 'byte-order-mark' : undefined;
}
