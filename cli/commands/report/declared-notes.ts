import type { MembershipWindow } from '@rolecall/api';
import { type DesiredObject, type DesiredOf, dataSourceKey, personKey, roleKey } from '@rolecall/reconcile';
import type { NoteEntry } from './report-data.ts';

/** The notes of definitions on roles, memberships and permissions. They are in Git only: the workspace has no field for them. */
export class DeclaredNotes {
  readonly #notes = new Map<string, NoteEntry>();

  constructor(declared: readonly DesiredObject[]) {
    for (const object of declared) {
      if (object.kind !== 'Role' && object.kind !== 'RoleMembership' && object.kind !== 'Permission') continue;
      const key = keyOf(object);
      const { reason, place } = object;
      const owner = object.kind === 'Permission' ? undefined : object.owner;
      // The report names the file of the role for its memberships too.
      const isSaid = (reason ?? owner ?? (object.kind === 'RoleMembership' ? undefined : place)) !== undefined;
      if (!isSaid || this.#notes.has(key)) continue;
      this.#notes.set(key, { ...(reason && { reason }), ...(owner && { owner }), ...(place && { place }) });
    }
  }

  role(name: string): NoteEntry | undefined {
    return this.#notes.get(roleNoteKey(name));
  }

  /** @param window when the person has the role; empty: always */
  rolePerson(role: string, username: string, window: MembershipWindow = {}): NoteEntry | undefined {
    return this.#notes.get(personNoteKey(role, username, window));
  }

  roleDataSource(role: string, alias: string): NoteEntry | undefined {
    return this.#notes.get(dataSourceNoteKey(role, alias));
  }

  /** A definition without a start means the permission that ends when it does. */
  permission(username: string, alias: string, startsAt: string, expiresAt: string): NoteEntry | undefined {
    const keyFrom = (start?: string): string => permissionNoteKey(username, alias, start, expiresAt);
    return this.#notes.get(keyFrom(startsAt)) ?? this.#notes.get(keyFrom());
  }
}

function keyOf(object: DesiredOf<'Role' | 'RoleMembership' | 'Permission'>): string {
  switch (object.kind) {
    case 'Role':
      return roleNoteKey(object.role);
    case 'RoleMembership':
      return object.member.kind === 'Person'
        ? personNoteKey(object.role, object.member.username, object.window ?? {})
        : dataSourceNoteKey(object.role, object.member.alias);
    case 'Permission':
      return permissionNoteKey(object.person, object.dataSource, object.startsAt, object.expiresAt);
  }
}

const roleNoteKey = (name: string): string => JSON.stringify(['role', roleKey(name)]);

function personNoteKey(role: string, username: string, { startsAt, expiresAt }: MembershipWindow): string {
  return JSON.stringify(['person', roleKey(role), personKey(username), moment(startsAt), moment(expiresAt)]);
}

const dataSourceNoteKey = (role: string, alias: string): string =>
  JSON.stringify(['data source', roleKey(role), dataSourceKey(alias)]);

function permissionNoteKey(username: string, alias: string, startsAt: string | undefined, expiresAt: string): string {
  return JSON.stringify(['permission', personKey(username), dataSourceKey(alias), moment(startsAt), moment(expiresAt)]);
}

/** One moment may be written in several ways. */
const moment = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));
