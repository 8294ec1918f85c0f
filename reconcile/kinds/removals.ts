import type { MembershipWindow, Permission, Role } from '@rolecall/api';
import type { ObjectCollection } from '@rolecall/crds';
import { type Claimed, collectionOf } from '../model/claims.ts';
import { deleteStep, removeMember, setWindows } from '../model/common-steps.ts';
import type {
  Absent,
  DesiredRole,
  DesiredRoleMembership,
  DesiredState,
  ListedKind,
  MemberKind,
} from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { isSameWindow } from '../model/membership-window.ts';
import { idOf, type Step } from '../model/step.ts';
import { actOf, isOfMembership, subjectId } from '../operations/table.ts';
import type { Collection, Reader } from '../view/view.ts';
import { removePermission } from './permission.ts';
import { removePerson } from './person.ts';
import type { Scope } from './scope.ts';

/** An object that goes: by the name of its definition, which was deleted, or by its own where it never had one. */
interface Leaving<T> {
  readonly object: T;
  readonly as: Step['object'];
  readonly reason: string;
}

/**
 * The steps that remove what no definition means any more: what deleted definitions have in the workspace, and in collections that are
 * declared exact everything. What goes with a person or data source that goes anyway gets no step of its own: a run makes as few calls as
 * there are changes.
 *
 * @param kept ids of what stays all the same, since a refusal holds its removal up
 */
export async function removeUndeclared(
  state: DesiredState,
  claimed: Claimed,
  scope: Scope,
  kept: ReadonlySet<string>,
): Promise<Step[]> {
  const { view } = scope;
  const leave = new Leave(state, claimed, kept);
  const people = await leave.of(
    'Person',
    () => view.people(),
    ({ username }) => username,
  );
  const dataSources = await leave.of(
    'DataSource',
    () => view.dataSources(),
    ({ name, alias }) => alias ?? name,
  );
  const roles = await leave.of(
    'Role',
    () => view.roles(),
    ({ name }) => name,
  );
  // Who loses what with a role decides what must be granted before it goes.
  await Promise.all(roles.flatMap(({ object: { id } }) => [view.rolePeople(id), view.roleDataSources(id)]));
  const snippets = await leave.of(
    'Snippet',
    () => view.snippets(),
    ({ activeVersion }) => activeVersion.name,
  );
  const gone = new Set([...people, ...dataSources, ...roles].map(({ object }) => object.id));
  const permissions = (await leave.of('Permission', () => view.permissions(), permissionName)).filter(
    ({ object: { person, dataSource } }) => !gone.has(person.id) && !gone.has(dataSource.id),
  );
  return [
    ...people.flatMap(({ object, as, reason }) => removePerson(object, as, reason)),
    ...dataSources.map(({ object: { id, name, alias }, as, reason }) =>
      deleteStep({ kind: 'DataSource', id, name: alias ?? name }, as, reason),
    ),
    ...roles.map(({ object: { id, name }, as, reason }) => deleteStep({ kind: 'Role', id, name }, as, reason)),
    ...snippets.map(({ object: { id, activeVersion }, as, reason }) =>
      deleteStep({ kind: 'Snippet', id, name: activeVersion.name }, as, reason),
    ),
    ...permissions.map(({ object, as, reason }) => removePermission(object, as, reason, [])),
    ...(await removeAbsentMembers(state, claimed, scope, gone)),
  ];
}

/** Why an object goes that a definition had. */
const reasonOf = ({ isReplaced }: Absent): string =>
  isReplaced === true ? 'its definition means another object now' : 'its definition was deleted';

const isNotDeclared = 'not declared, and the collection is declared exact';

/** Finds what goes from each collection. */
class Leave {
  readonly #state: DesiredState;
  readonly #claimed: Claimed;
  readonly #kept: ReadonlySet<string>;
  readonly #absent: ReadonlyMap<string, Absent>;

  constructor(state: DesiredState, claimed: Claimed, kept: ReadonlySet<string>) {
    this.#state = state;
    this.#claimed = claimed;
    this.#kept = kept;
    this.#absent = new Map(
      state.absent?.flatMap((absent) => ('id' in absent ? [[`${absent.kind} ${absent.id}`, absent] as const] : [])),
    );
  }

  /** @param read is called only where something may go */
  async of<T extends { id: string }>(
    kind: ListedKind,
    read: () => Promise<Collection<T>>,
    nameOf: (object: T) => string,
  ): Promise<Leaving<T>[]> {
    const collection: ObjectCollection = collectionOf[kind];
    const isExact = this.#state.exact.includes(collection);
    if (!isExact && this.#state.absent?.some((object) => object.kind === kind) !== true) return [];
    return (await read()).all.flatMap((object): Leaving<T>[] => {
      if (this.#claimed[collection].has(object.id) || this.#kept.has(object.id)) return [];
      const absent = this.#absent.get(`${kind} ${object.id}`);
      if (absent !== undefined) {
        const as = { kind, name: absent.name, undeclared: true, deleted: true } as const;
        return [{ object, as, reason: reasonOf(absent) }];
      }
      if (!isExact) return [];
      return [{ object, as: { kind, name: nameOf(object), undeclared: true }, reason: isNotDeclared }];
    });
  }
}

/**
 * The steps that take members out of roles whose own definitions were deleted, unless a list or another definition has them in. What other
 * definitions are to write, they write themselves, without the time of the deleted one.
 */
async function removeAbsentMembers(
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

/** The steps that end what an earlier run granted for its own time. This one may need it until the new access is there. */
export async function endBridges({ bridges = new Set() }: DesiredState, view: Reader): Promise<Step[]> {
  if (bridges.size === 0) return [];
  const { byId } = await view.permissions();
  const left = [...bridges].flatMap((id) => byId.get(id) ?? []);
  return left.map((permission) => {
    const object = { kind: 'Permission', name: permissionName(permission), undeclared: true } as const;
    return {
      ...removePermission(permission, object, 'an earlier run granted it for its own time', []),
      effect: 'replace',
    };
  });
}

/** Leaves out the calls that take a member out of what is deleted anyway, or out of whom. */
export function withoutImplied(steps: readonly Step[]): Step[] {
  const deleted = new Set(steps.filter((step) => step.effect === 'remove' && actOf(step) === 'delete').map(subjectId));
  return steps.filter(
    (step) =>
      !isOfMembership(step) ||
      actOf(step) !== 'delete' ||
      !Object.values(step.params).some((end) => deleted.has(idOf(end))),
  );
}

/** Undeclared permissions have no name of their own. */
function permissionName({ person, dataSource }: Permission): string {
  return `${person.username}/${dataSource.alias ?? dataSource.name}`;
}
