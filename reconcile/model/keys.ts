import { asciiEmail } from '@rolecall/api';

/**
 * Natural keys: what makes an object on the server the one that a definition means. They are compared as text, so
 * each kind has one function here that both sides go through. Unicode's two ways to write an accented letter are one.
 */

/** Usernames are unique without regard to case, so `Ada` and `ada` are one person. */
export const personKey = (username: string): string => username.normalize('NFC').toLowerCase();

/** A domain of other scripts and its ASCII form are one. */
export const emailKey = (email: string): string => asciiEmail(email.normalize('NFC')).toLowerCase();

/**
 * The name that people see, without regard to case and Unicode form: a directory that writes `ADA LOVELACE` means the same person.
 * Upper case comes first, since only it tells that `ß` and `SS` are one.
 */
export const personNameKey = (name: string): string =>
  name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');

export const roleKey = (name: string): string => name.normalize('NFC');

export const dataSourceKey = (alias: string): string => alias.normalize('NFC');

export type OwnerKey = { kind: 'Person'; username: string } | { kind: 'Role'; role: string } | undefined;

/** The owner of a snippet, by natural key. */
export function ownerOf({
  ownerPerson,
  ownerRole,
}: {
  ownerPerson: { username: string } | null;
  ownerRole: { name: string } | null;
}): OwnerKey {
  if (ownerPerson !== null) return { kind: 'Person', username: ownerPerson.username };
  if (ownerRole !== null) return { kind: 'Role', role: ownerRole.name };
  return undefined;
}

/** A snippet's name without its owner. */
export const snippetNameKey = (name: string): string => name.normalize('NFC');

/** A snippet's text without regard to the ends of its lines: Git writes those of files as its settings say (autocrlf). */
export const snippetTextKey = (text: string): string => text.replaceAll('\r\n', '\n');

/** A snippet's name counts within its owner. JSON keeps a name with a slash from looking like another owner. */
export function snippetKey(owner: OwnerKey, name: string): string {
  const ownName = snippetNameKey(name);
  if (owner === undefined) return JSON.stringify(['none', '', ownName]);
  return owner.kind === 'Person'
    ? JSON.stringify(['person', personKey(owner.username), ownName])
    : JSON.stringify(['role', roleKey(owner.role), ownName]);
}

/** The pair of person and data source that a permission joins, by id. */
export const pairKey = (personId: string, dataSourceId: string): string => `${personId} ${dataSourceId}`;
