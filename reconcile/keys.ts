/**
 * Natural keys: what makes an object on the server the one that a definition means. They are compared as text, so
 * each kind has one function here that both sides go through.
 */

/** Usernames are unique without regard to case, so `Ada` and `ada` are one person. */
export const personKey = (username: string): string => username.normalize('NFC').toLowerCase();

export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase();

export const roleKey = (name: string): string => name;

export const dataSourceKey = (alias: string): string => alias;

export type OwnerKey = { kind: 'Person'; username: string } | { kind: 'Role'; role: string } | undefined;

/** A snippet's name counts within its owner. JSON keeps a name with a slash from looking like another owner. */
export function snippetKey(owner: OwnerKey, name: string): string {
  if (owner === undefined) return JSON.stringify(['none', '', name]);
  return owner.kind === 'Person'
    ? JSON.stringify(['person', personKey(owner.username), name])
    : JSON.stringify(['role', roleKey(owner.role), name]);
}

/** The pair of person and data source that a permission joins, by id. */
export const pairKey = (personId: string, dataSourceId: string): string => `${personId} ${dataSourceId}`;
