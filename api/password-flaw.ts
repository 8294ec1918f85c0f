/** A flaw that is never intended: the password is missing, or something was pasted along with it. */
export type PasswordFlaw = 'empty' | 'blank' | 'line-break' | 'byte-order-mark';

/**
 * Finds a flaw in a database's password. Later, the flaw would only show as a failed login, and an empty password would
 * remove the current one.
 */
export function passwordFlaw(password: string): PasswordFlaw | undefined {
  if (password === '') return 'empty';
  if (password.trim() === '') return 'blank';
  if (/[\r\n]$/.test(password)) return 'line-break';
  return password.startsWith('\uFEFF') ? 'byte-order-mark' : undefined;
}
