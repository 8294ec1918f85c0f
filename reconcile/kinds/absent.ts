import {
  type Absent,
  type DesiredObject,
  type DesiredPermission,
  type DesiredRoleMembership,
  label,
} from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { idOf, type Step } from '../model/step.ts';
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

/** What the names in definitions mean in the workspace before a plan has run. */
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

/** The parameter of a call that has the id of an object of a kind. */
const parameters = {
  Person: 'person',
  Role: 'role',
  DataSource: 'dataSource',
  Permission: 'permission',
  Snippet: 'snippet',
} as const;

/** The steps by which what deleted definitions have ends: calls of its own, or those that take it along. */
export class EndingSteps {
  /** By what they delete, or by the membership that they change. */
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  readonly #view: View;

  constructor(steps: readonly Step[], view: View) {
    const keyed = steps.flatMap((step) => keysOf(step).map((key) => [key, step] as const));
    this.#steps = new Map(
      [...Map.groupBy(keyed, ([key]) => key)].map(([key, all]) => [key, all.map(([, step]) => step)]),
    );
    this.#view = view;
  }

  of(absent: Absent): Step[] {
    return this.#keysOf(absent).flatMap((key) => this.#steps.get(key) ?? []);
  }

  #keysOf(absent: Absent): string[] {
    if (absent.kind === 'RoleMembership') {
      const { role, member } = absent;
      const parameter = parameters[member.kind];
      return [`role ${role} ${parameter} ${member.id}`, `role ${role}`, `${parameter} ${member.id}`];
    }
    const own = `${parameters[absent.kind]} ${absent.id}`;
    const permission = absent.kind === 'Permission' ? this.#view.peek('permissions')?.byId.get(absent.id) : undefined;
    if (permission === undefined) return [own];
    return [own, `person ${permission.person.id}`, `dataSource ${permission.dataSource.id}`];
  }
}

function keysOf({ operation, params }: Step): string[] {
  const keys = Object.entries(params).map(([name, value]) => `${name} ${idOf(value)}`);
  if (operation.startsWith('delete')) return keys;
  const { role, ...member } = params;
  const [[parameter, id] = []] = Object.entries(member);
  return role === undefined || parameter === undefined ? [] : [`role ${idOf(role)} ${parameter} ${idOf(id)}`];
}
