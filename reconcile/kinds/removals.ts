import type { Permission } from '@rolecall/api';
import type { ObjectCollection } from '@rolecall/crds';
import { type Claimed, collectionOf } from '../model/claims.ts';
import { deleteStep } from '../model/common-steps.ts';
import type { Absent, DesiredState, ListedKind } from '../model/desired.ts';
import { idOf, type Step } from '../model/step.ts';
import { actOf, isOfMembership, subjectId } from '../operations/table.ts';
import type { Collection, Reader } from '../view/view.ts';
import { reasonOf, removeAbsentMembers } from './absent-members.ts';
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
