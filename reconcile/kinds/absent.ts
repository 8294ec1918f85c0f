import {
  type Absent,
  type DesiredObject,
  type DesiredPermission,
  type DesiredRoleMembership,
  label,
} from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import type { View } from '../view/view.ts';
import { findId } from './find-id.ts';
import { Naming } from './naming.ts';

/**
 * Finds what deleted definitions have in the workspace, by their labels; one that has nothing there is not among them.
 *
 * @param deleted the definitions as they were last, each with its id where the front end recorded one
 * @param remaining the definitions that are left: the plan may be about to rename what a deleted one refers to
 */
export async function findAbsent(
  deleted: readonly DesiredObject[],
  remaining: readonly DesiredObject[],
  view: View,
  now: Date,
): Promise<Map<string, Absent>> {
  const names = new CurrentNames(new Naming([...deleted, ...remaining]), view);
  const absent = new Map<string, Absent>();
  for (const object of deleted) {
    const { kind, name } = object;
    if (kind === 'RoleMembership') {
      const pair = await names.pairOf(object);
      if (pair !== undefined) absent.set(label(object), { kind, name, ...pair });
    } else {
      const id = await findId(kind === 'Permission' ? await names.asThere(object) : object, view, now);
      if (id !== undefined) absent.set(label(object), { kind, name, id });
    }
  }
  return absent;
}

/** Resolves the names in definitions to the workspace as it is before a plan has run. */
class CurrentNames {
  readonly #naming: Naming;
  readonly #view: View;

  constructor(naming: Naming, view: View) {
    this.#naming = naming;
    this.#view = view;
  }

  async pairOf({
    role,
    member,
  }: DesiredRoleMembership): Promise<Pick<Extract<Absent, { kind: 'RoleMembership' }>, 'role' | 'member'> | undefined> {
    const roleId = this.#naming.meant(await this.#view.roles(), 'Role', roleKey(role));
    const id = await (member.kind === 'Person' ? this.#person(member.username) : this.#dataSource(member.alias));
    return roleId === undefined || id === undefined ? undefined : { role: roleId, member: { kind: member.kind, id } };
  }

  /** The permission with the names that its person and data source have in the workspace. */
  async asThere(permission: DesiredPermission): Promise<DesiredPermission> {
    const person = (await this.#view.people()).byId.get((await this.#person(permission.person)) ?? '');
    const dataSource = (await this.#view.dataSources()).byId.get((await this.#dataSource(permission.dataSource)) ?? '');
    return {
      ...permission,
      person: person?.username ?? permission.person,
      dataSource: dataSource?.alias ?? permission.dataSource,
    };
  }

  async #person(username: string): Promise<string | undefined> {
    return this.#naming.meant(await this.#view.people(), 'Person', personKey(username));
  }

  async #dataSource(alias: string): Promise<string | undefined> {
    return this.#naming.meant(await this.#view.dataSources(), 'DataSource', dataSourceKey(alias));
  }
}
