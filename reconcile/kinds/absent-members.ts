import type { MembershipWindow, Role } from '@rolecall/api';
import type { Claimed } from '../model/claims.ts';
import { removeMember, setWindows } from '../model/common-steps.ts';
import type { Absent, DesiredRole, DesiredRoleMembership, DesiredState, MemberKind } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { isSameWindow } from '../model/membership-window.ts';
import { idOf, type Step } from '../model/step.ts';
import type { Reader } from '../view/view.ts';
import type { Scope } from './scope.ts';

/** Why an object goes that a definition had. */
export const reasonOf = ({ isReplaced }: Absent): string =>
  isReplaced === true ? 'its definition means another object now' : 'its definition was deleted';

/**
 * The steps that take members out of roles whose own definitions were deleted, unless a list or another definition has them in. What other
 * definitions are to write, they write themselves, without the time of the deleted one.
 */
export async function removeAbsentMembers(
  { absent = [] }: DesiredState,
  { memberships }: Claimed,
  scope: Scope,
  gone: ReadonlySet<string>,
): Promise<Step[]> {
  const leaving = absent.filter((object) => object.kind === 'RoleMembership');
  if (leaving.length === 0) return [];
  const { view } = scope;
  const roles = await view.roles();
  const declared = new DeclaredMembers(scope);
  const steps = leaving.map(async (membership): Promise<Step[]> => {
    const { name, role: roleId } = membership;
    const { kind, id } = membership.member;
    const role = roles.byId.get(roleId);
    if (role === undefined || [roleId, id].some((end) => gone.has(end))) return [];
    const member = await readMember(kind, roleId, id, view);
    if (member === undefined || (await declared.isListed(role, kind, id))) return [];
    const object = { kind: 'RoleMembership', name, undeclared: true, deleted: true } as const;
    const ends = [role, { id, name: member.name }] as const;
    const remove = { ...removeMember(kind, ...ends, object), object, reason: reasonOf(membership) };
    if (!memberships.has(`${roleId}/${id}`)) return [remove];
    const others = await declared.memberships(role, kind, id);
    if (others.some(({ paused, observeOnly }) => !paused && !observeOnly)) return [];
    const { windows } = member;
    // All others are held back: they write nothing, and what this one had would stay for good.
    if (windows === undefined) return others.some(({ window }) => window === undefined) ? [] : [remove];
    const left = windows.filter((time) =>
      others.some(({ window }) => window !== undefined && isSameWindow(time, window)),
    );
    if (left.length === windows.length) return [];
    return [
      left.length === 0
        ? remove
        : { ...setWindows(...ends, left, object, windows), object, reason: reasonOf(membership) },
    ];
  });
  return (await Promise.all(steps)).flat();
}

/** The members that definitions declare of each role in the workspace, whatever its name is to be. */
class DeclaredMembers {
  readonly #scope: Scope;
  readonly #listed = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** True if the list of the role itself has the member. */
  async isListed(role: Role, kind: MemberKind, id: string): Promise<boolean> {
    const key = `${kind} ${role.id}`;
    const listed = this.#listed.get(key) ?? this.#readList(role, kind);
    this.#listed.set(key, listed);
    return (await listed).has(id);
  }

  async #readList(role: Role, kind: MemberKind): Promise<ReadonlySet<string>> {
    const definition = this.#definition(role);
    const list = kind === 'Person' ? definition?.people : definition?.dataSources;
    if (definition === undefined || list === undefined) return new Set();
    const members = await this.#scope.locateAll(definition, kind, list);
    return new Set(members.flatMap(({ located }) => ('id' in located ? [idOf(located.id)] : [])));
  }

  /** The definitions of memberships that declare the pair. */
  async memberships(role: Role, kind: MemberKind, id: string): Promise<DesiredRoleMembership[]> {
    const all = this.#scope
      .additions(this.#definition(role)?.role ?? role.name)
      .filter(({ member }) => member.kind === kind);
    const located = await Promise.all(
      all.map((membership) =>
        this.#scope.locate(
          membership,
          kind,
          membership.member.kind === 'Person' ? membership.member.username : membership.member.alias,
        ),
      ),
    );
    return all.filter((_, index) => {
      const member = located[index];
      return member !== undefined && 'id' in member && member.id === id;
    });
  }

  #definition({ id, name }: Role): DesiredRole | undefined {
    // It looks among the definitions of this kind.
    return this.#scope.ownerOf('Role', id, roleKey(name)) as DesiredRole | undefined;
  }
}

/** A member of a role, with its times; undefined if it is not in it. */
async function readMember(
  kind: MemberKind,
  role: string,
  id: string,
  view: Reader,
): Promise<{ name: string; windows?: readonly MembershipWindow[] | undefined } | undefined> {
  if (kind === 'Person') {
    const person = (await view.rolePeople(role)).byId.get(id);
    return person && { name: person.username, windows: person.windows };
  }
  const dataSource = (await view.roleDataSources(role)).byId.get(id);
  return dataSource && { name: dataSource.alias ?? dataSource.name };
}
