import type { MembershipWindow } from '@rolecall/api';
import { type Caller, createView, type View } from '@rolecall/reconcile';

type Windows = readonly MembershipWindow[] | undefined;

type Fields = Record<string, unknown>;
interface Person {
  id: string;
  username: string;
  name: string;
  email: string;
  isLocked: boolean;
}
interface Source {
  id: string;
  alias: string;
  name: string;
  configUri: string;
}
interface Permission {
  id: string;
  person: string;
  dataSource: string;
  startsAt: string;
  expiresAt: string;
  createdAt: string;
}

const at = '2026-01-01T00:00:00.000Z';

/** A workspace in memory that answers the calls of the engine, and knows at each moment who reaches what. */
export class MemoryWorkspace {
  readonly people = new Map<string, Person>();
  readonly roles = new Map<string, { name: string; people: Map<string, Windows>; dataSources: Set<string> }>();
  readonly dataSources = new Map<string, Source>();
  readonly permissions = new Map<string, Permission>();
  /** Operations that were called. */
  readonly calls: string[] = [];
  readonly #now: Date;
  #count = 0;

  constructor(now: Date) {
    this.#now = now;
  }

  get view(): View {
    // As the bundled service says it, which ends memberships by itself and edits in place.
    return { ...createView(this.client), keepsTimes: () => Promise.resolve(true), edits: () => true };
  }

  /** `ada billing` for each pair that is reached. */
  reached(): Set<string> {
    const at = this.#now;
    const pairs = new Set<string>();
    const add = (person: string, dataSource: string): void => {
      const one = this.people.get(person);
      const source = this.dataSources.get(dataSource);
      if (one?.isLocked === false && source !== undefined) pairs.add(`${one.username} ${source.alias}`);
    };
    for (const { people, dataSources } of this.roles.values()) {
      for (const [person, windows] of people) {
        const isIn = windows?.some(
          ({ startsAt = '', expiresAt = '~' }) => startsAt <= at.toISOString() && at.toISOString() < expiresAt,
        );
        if (isIn !== false) for (const dataSource of dataSources) add(person, dataSource);
      }
    }
    for (const { person, dataSource, startsAt, expiresAt } of this.permissions.values()) {
      const now = at.getTime();
      if (Date.parse(startsAt) <= now && now < Date.parse(expiresAt)) add(person, dataSource);
    }
    return pairs;
  }

  /** A copy, in which the calls of another order can be made. */
  copy(): MemoryWorkspace {
    const other = new MemoryWorkspace(this.#now);
    for (const [id, one] of this.people) other.people.set(id, { ...one });
    for (const [id, one] of this.dataSources) other.dataSources.set(id, { ...one });
    for (const [id, one] of this.permissions) other.permissions.set(id, { ...one });
    for (const [id, { name, people, dataSources }] of this.roles) {
      other.roles.set(id, { name, people: new Map(people), dataSources: new Set(dataSources) });
    }
    other.#count = this.#count;
    return other;
  }

  readonly client: Caller = {
    call: (operation, request) => {
      const { params = {}, body = {} } = request as { params?: Record<string, string>; body?: Fields };
      this.calls.push(operation);
      // Each answer has the fields of its operation that the engine uses.
      return Promise.resolve(this.#answer(operation, params, body) as never);
    },
  };

  #id(): string {
    this.#count += 1;
    return String(this.#count);
  }

  #answer(operation: string, params: Record<string, string>, body: Fields): unknown {
    const { person = '', role = '', dataSource = '', permission = '' } = params;
    switch (operation) {
      case 'listPeople':
        return [...this.people.values()].map((one) => ({ ...one, createdAt: at }));
      case 'listRoles':
        return [...this.roles].map(([id, { name }]) => ({ id, name, createdAt: at, updatedAt: at }));
      case 'listDataSources':
        return [...this.dataSources.values()].map((one) => ({
          ...one,
          type: one.configUri.split(':')[0],
          createdAt: at,
          updatedAt: at,
        }));
      case 'getDataSourceDetail':
        return {
          ...this.dataSources.get(dataSource),
          type: this.dataSources.get(dataSource)?.configUri.split(':')[0],
          createdAt: at,
          updatedAt: at,
        };
      case 'listPermissions':
        return [...this.permissions.values()].map((one) => ({
          ...one,
          person: this.people.get(one.person),
          dataSource: this.dataSources.get(one.dataSource),
        }));
      case 'listSnippets':
        return [];
      case 'listRolePeople':
        return [...(this.roles.get(role)?.people ?? [])].map(([id, windows]) => ({
          ...this.people.get(id),
          assignedAt: at,
          ...(windows && { windows }),
        }));
      case 'listRoleDataSources':
        return [...(this.roles.get(role)?.dataSources ?? [])].map((id) => ({
          ...this.dataSources.get(id),
          assignedAt: at,
        }));
      case 'listPersonRoles':
        return [...this.roles].flatMap(([id, { name, people }]) =>
          people.has(person) ? [{ id, name, assignedAt: at, windows: people.get(person) }] : [],
        );
      case 'listDataSourceRoles':
        return [...this.roles].flatMap(([id, { name, dataSources }]) =>
          dataSources.has(dataSource) ? [{ id, name, assignedAt: at }] : [],
        );
      case 'createPerson': {
        const made = {
          id: this.#id(),
          isLocked: false,
          ...(body as { username: string; name: string; email: string }),
        };
        this.people.set(made.id, made);
        return made;
      }
      case 'updatePerson': {
        const isTaken = this.people
          .values()
          .some(
            ({ id, username, email }) => id !== person && (username === body['username'] || email === body['email']),
          );
        if (isTaken) throw new Error(`another person has ${JSON.stringify(body)}`);
        return Object.assign(this.people.get(person) ?? {}, body);
      }
      case 'updateRole': {
        const isTaken = this.roles.entries().some(([id, { name }]) => id !== role && name === body['name']);
        if (isTaken) throw new Error(`another role has the name ${String(body['name'])}`);
        const one = this.roles.get(role);
        if (one !== undefined) one.name = String(body['name']);
        return { id: role, name: body['name'], createdAt: at, updatedAt: at };
      }
      case 'createRole': {
        const id = this.#id();
        this.roles.set(id, { name: String(body['name']), people: new Map(), dataSources: new Set() });
        return { id, name: body['name'] };
      }
      case 'createDataSource': {
        const { alias, name, configUri } = body;
        const made = { id: this.#id(), alias: String(alias), name: String(name), configUri: String(configUri) };
        this.dataSources.set(made.id, made);
        return { ...made, type: made.configUri.split(':')[0], createdAt: at, updatedAt: at };
      }
      case 'updateDataSource': {
        const one = this.dataSources.get(dataSource);
        const isTaken = this.dataSources.values().some(({ id, alias }) => id !== dataSource && alias === body['alias']);
        if (isTaken) throw new Error(`another data source has the alias ${String(body['alias'])}`);
        return Object.assign(one ?? {}, body);
      }
      case 'createPermission': {
        const startsAt = typeof body['startsAt'] === 'string' ? body['startsAt'] : this.#now.toISOString();
        const expiresAt = new Date(Date.parse(startsAt) + Number(body['duration']) * 1000).toISOString();
        const made = { id: this.#id(), person, dataSource, startsAt, expiresAt, createdAt: this.#now.toISOString() };
        this.permissions.set(made.id, made);
        const { person: _person, dataSource: _dataSource, ...grant } = made;
        return grant;
      }
      case 'addRolePerson':
        this.roles.get(role)?.people.set(person, undefined);
        return {};
      case 'setRolePersonWindows':
        this.roles.get(role)?.people.set(person, body['windows'] as Windows);
        return {};
      case 'removeRolePerson':
        this.roles.get(role)?.people.delete(person);
        return {};
      case 'addRoleDataSource':
        this.roles.get(role)?.dataSources.add(dataSource);
        return {};
      case 'removeRoleDataSource':
        this.roles.get(role)?.dataSources.delete(dataSource);
        return {};
      case 'lockPerson':
      case 'unlockPerson': {
        const one = this.people.get(person);
        if (one !== undefined) one.isLocked = operation === 'lockPerson';
        return {};
      }
      case 'deletePermission':
        this.permissions.delete(permission);
        return {};
      case 'deleteRole':
        this.roles.delete(role);
        return {};
      case 'deletePerson':
        this.people.delete(person);
        for (const { people } of this.roles.values()) people.delete(person);
        for (const [id, one] of this.permissions) if (one.person === person) this.permissions.delete(id);
        return {};
      case 'deleteDataSource':
        this.dataSources.delete(dataSource);
        for (const { dataSources } of this.roles.values()) dataSources.delete(dataSource);
        for (const [id, one] of this.permissions) if (one.dataSource === dataSource) this.permissions.delete(id);
        return {};
      default:
        throw new Error(`the workspace in memory does not know ${operation}`);
    }
  }
}
