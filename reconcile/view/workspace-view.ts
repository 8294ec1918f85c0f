import type {
  DataSource,
  DataSourceDetail,
  ListedSnippetVersion,
  Permission,
  Role,
  RoleAssignment,
  RoleDataSource,
  RolePerson,
  Snapshot,
} from '@rolecall/api';
import type { KeptReadings } from '../operations/kept-readings.ts';
import type { Collection, People, Snippets } from './collection.ts';
import { type Connection, splitConnection } from './connection.ts';
import { gatherMembers, type MemberSource } from './member-lists.ts';
import { Passwords } from './passwords.ts';
import { Readings } from './readings.ts';
import type { SnapshotLists } from './snapshot-lists.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { takeAnswer } from './take-answer.ts';
import type { Caller, Needs, Peeked, View, ViewOptions } from './view.ts';

/** Opens a view of the workspace that the client reaches; reads nothing yet. */
export function createView(client: Caller, { isWhole = false }: ViewOptions = {}): View {
  return new WorkspaceView(client, new SnapshotReader(client, isWhole));
}

/** The methods are fields, so that they can be handed on without their view. */
class WorkspaceView implements View {
  readonly #client: Caller;
  readonly #snapshot: SnapshotReader;
  readonly #readings: Readings;
  readonly #passwords: Passwords;
  /** Member lists that are not called for yet, to be read by roles or by members. */
  readonly #members: Readonly<Record<'rolePeople' | 'roleDataSources', ReturnType<typeof gatherMembers>>>;

  constructor(client: Caller, snapshot: SnapshotReader, previousAnswers: ReturnType<Readings['answered']> = new Map()) {
    this.#client = client;
    this.#snapshot = snapshot;
    this.#readings = new Readings(client, snapshot, previousAnswers);
    this.#passwords = new Passwords(client, snapshot, async (id) => (await this.dataSources()).byId.get(id)?.alias);
    const source: MemberSource = {
      isKnown: (name) => this.#readings.isKnown(name),
      list: (name, operation, request) => this.#readings.list(name, operation, request),
      call: (operation, request) => client.call(operation, request),
      peek: (name) => this.#readings.find(name),
      keep: (name, answer) => {
        this.#readings.keepAlso(name, answer);
      },
    };
    this.#members = {
      rolePeople: gatherMembers('rolePeople', source),
      roleDataSources: gatherMembers('roleDataSources', source),
    };
  }

  readonly people = () => this.#list<People>('people', 'listPeople');
  readonly roles = () => this.#list<Collection<Role>>('roles', 'listRoles');
  readonly dataSources = () => this.#list<Collection<DataSource>>('dataSources', 'listDataSources');
  readonly permissions = () => this.#list<Collection<Permission>>('permissions', 'listPermissions');
  readonly snippets = () => this.#list<Snippets>('snippets', 'listSnippets');
  readonly rolePeople = (role: string) =>
    this.#readings.once<Collection<RolePerson>>(`rolePeople ${role}`, () => this.#members.rolePeople(role));
  readonly roleDataSources = (role: string) =>
    this.#readings.once<Collection<RoleDataSource>>(`roleDataSources ${role}`, () =>
      this.#members.roleDataSources(role),
    );
  readonly snippetVersions = (snippet: string) => {
    const name = `snippetVersions ${snippet}`;
    return this.#readings.once<readonly ListedSnippetVersion[]>(name, () =>
      this.#readings.list(name, 'listSnippetVersions', { params: { snippet } }),
    );
  };
  readonly personRoles = (person: string) => {
    const name = `personRoles ${person}`;
    return this.#readings.once<readonly RoleAssignment[]>(
      name,
      async () => this.#rolesByLists(person) ?? this.#readings.list(name, 'listPersonRoles', { params: { person } }),
    );
  };
  readonly dataSourceDetail = (dataSource: string) =>
    this.#readings.once<DataSourceDetail>(`dataSourceDetail ${dataSource}`, () =>
      this.#client.call('getDataSourceDetail', { params: { dataSource } }),
    );
  readonly connection = (dataSource: string) =>
    this.#readings.once<Connection>(`connection ${dataSource}`, async () => {
      const { connection, password } = splitConnection(
        await this.#client.call('getDataSourceDetail', { params: { dataSource } }),
      );
      this.#passwords.know(dataSource, password);
      return connection;
    });

  readonly isPassword = async (dataSource: string, password: string): Promise<boolean | undefined> => {
    await this.connection(dataSource);
    return this.#passwords.matches(dataSource, password);
  };

  readonly hasPassword = async (dataSource: string): Promise<boolean> => {
    await this.#snapshot.read();
    const connection = this.#readings.find(`connection ${dataSource}`) as Connection | undefined;
    return connection?.hasPassword ?? (await this.#passwords.ofDetail(dataSource)) !== undefined;
  };

  readonly keepsTimes = async (): Promise<boolean> => (await this.#snapshot.read())?.snapshot.roleWindows !== undefined;

  readonly adminRole = async (): Promise<string | undefined> => (await this.#snapshot.read())?.snapshot.adminRole;

  readonly declared = async (): Promise<Snapshot['declared']> => (await this.#snapshot.read())?.snapshot.declared;

  // The specification has neither: a service that names its store edits, too.
  readonly edits = (): boolean => this.#client.store?.() !== undefined;

  readonly isAsWritten = (): boolean => this.#snapshot.lists !== undefined;

  readonly expect = (needs: Needs): void => {
    this.#snapshot.expect(needs);
  };

  readonly peek = <N extends keyof Peeked>(name: N) =>
    // Each name is only ever indexed as Peeked says.
    this.#readings.peek(name) as Peeked[N] | undefined;

  readonly drop = (name: string): void => {
    this.#readings.drop(name);
  };

  readonly readings = (): ReadonlyMap<string, unknown> => this.#readings.all();

  /** The readings into which a run's answers are taken. */
  readonly #kept: KeptReadings = {
    names: () => this.#readings.names(),
    // Each name is only ever indexed as KeptReadings says, here and below.
    peek: (name) => this.#readings.find(name) as never,
    get: (name) => this.#readings.take(name) as never,
    set: (name, reading) => {
      this.#readings.set(name, reading);
    },
    drop: this.drop,
    setPassword: (dataSource, password) => {
      this.#passwords.set(dataSource, password);
    },
  };

  readonly take: View['take'] = (step, answer, ids) => {
    takeAnswer(this.#kept, step, answer, ids);
  };

  readonly forget: View['forget'] = (step, answer, ids) => {
    const dropped = (name: string): undefined => {
      this.drop(name);
    };
    takeAnswer({ ...this.#kept, get: dropped }, step, answer, ids);
  };

  readonly renew = async (): Promise<View> => {
    // A service that had no snapshot may have been brought up to date since.
    const snapshot = this.#snapshot.renew(this.#readings.isAsked('snippets'));
    const read = await snapshot.read();
    return read === undefined ? this.#renewLists(snapshot) : this.#renewSnapshot(snapshot, read);
  };

  #renewSnapshot(snapshot: SnapshotReader, read: SnapshotLists): View {
    const { lists } = this.#snapshot;
    if (read.snapshot === lists?.snapshot && this.#readings.isOf(lists)) return this;
    const next = new WorkspaceView(this.#client, snapshot);
    this.#handOn(next, this.#passwords.ids());
    return next;
  }

  async #renewLists(snapshot: SnapshotReader): Promise<View> {
    const next = new WorkspaceView(this.#client, snapshot, this.#readings.answered());
    const names = this.#readings.read();
    const connections = names.filter((name) => name.startsWith('connection '));
    const others = names.filter((name) => !connections.includes(name));
    if (this.#readings.isAsAnswered(others) && (await next.#isKnown(others))) return this;
    if (connections.length === 0) return next;
    await next.dataSources();
    const ids = connections.map((name) => name.slice('connection '.length));
    for (const id of this.#handOn(next, ids)) {
      next.#readings.set(`connection ${id}`, this.#readings.find(`connection ${id}`));
    }
    return next;
  }

  /** Hands on the passwords of data sources that have not changed. @returns their ids */
  #handOn(next: WorkspaceView, dataSources: readonly string[]): string[] {
    const sourcesOf = (view: WorkspaceView) => view.#readings.find('dataSources') as Collection<DataSource> | undefined;
    const sourcesBefore = sourcesOf(this);
    const after = sourcesOf(next);
    const same = dataSources.filter((id) => {
      const updatedAt = sourcesBefore?.byId.get(id)?.updatedAt;
      return updatedAt !== undefined && after?.byId.get(id)?.updatedAt === updatedAt;
    });
    this.#passwords.handOn(next.#passwords, same);
    return same;
  }

  /** Reads one of the lists that the whole workspace has once. */
  #list<T>(
    name: string,
    operation: 'listPeople' | 'listRoles' | 'listDataSources' | 'listPermissions' | 'listSnippets',
  ) {
    return this.#readings.once<T>(name, () => this.#readings.list(name, operation, {}));
  }

  /** The roles of a person, where the members of every role are here. */
  #rolesByLists(person: string): readonly RoleAssignment[] | undefined {
    // A plan that replaces everyone asks this of each person: to look into every role would take people × roles.
    if (!this.#readings.isChanged() && this.#snapshot.lists !== undefined) return this.#snapshot.lists.rolesOf(person);
    const roles = this.#readings.find('roles') as Collection<Role> | undefined;
    if (roles === undefined) return undefined;
    const assignments: RoleAssignment[] = [];
    for (const { id, name } of roles.all) {
      const members = this.#readings.find(`rolePeople ${id}`) as Collection<RolePerson> | undefined;
      if (members === undefined) return undefined;
      const member = members.byId.get(person);
      if (member === undefined) continue;
      const { assignedAt, windows } = member;
      assignments.push({ id, name, assignedAt, ...(windows && { windows }) });
    }
    return assignments;
  }

  /** True if all of these readings are what was known of them. */
  async #isKnown(names: readonly string[]): Promise<boolean> {
    const reads: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      people: this.people,
      roles: this.roles,
      dataSources: this.dataSources,
      permissions: this.permissions,
      snippets: this.snippets,
      rolePeople: this.rolePeople,
      roleDataSources: this.roleDataSources,
    };
    const isSame = (name: string): Promise<boolean> => {
      const [what = '', id = ''] = name.split(' ');
      return this.#readings.isSame(name, async () => reads[what]?.(id));
    };
    // A role that is gone has no members to ask for, so the collections come first.
    for (const isMember of [false, true]) {
      const some = names.filter((name) => name.includes(' ') === isMember);
      if ((await Promise.all(some.map(isSame))).includes(false)) return false;
    }
    return true;
  }
}
