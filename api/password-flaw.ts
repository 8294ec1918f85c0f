/** A flaw that no one wants in a password: it was pasted along, or the password is missing. */
export type PasswordFlaw = 'empty' | 'blank' | 'line-break' | 'byte-order-mark';

/**
 * Finds a flaw in the password of a database, which a query would only report as a failed log-in. An empty password would
 * remove the one in use.
 */
export function passwordFlaw(password: string): PasswordFlaw | undefined {
  if (password === '') return 'empty';
  if (password.trim() === '') return 'blank';
  if (/[\r\n]$/.test(password)) return 'line-break';
  return password.startsWith('\uFEFF') ? 'byte-order-mark' : undefined;
}
