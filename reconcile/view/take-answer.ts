/** What each call changes in what was read before it. */

import {
  type DataSource,
  type DataSourceDetail,
  type ListedSnippet,
  type Permission,
  type PermissionGrant,
  type Person,
  type Role,
  type RoleDataSource,
  type RolePerson,
  redactConnectionUri,
  type Snippet,
} from '@rolecall/api';
import { isReference, type Step, windowsOf } from '../model/step.ts';
import type { StepOperation } from '../model/step-names.ts';
import { indexRoleDataSources, indexRolePeople, type Kept, type KeptPeople, type KeptSnippets } from './collection.ts';
import { type Connection, splitConnection } from './connection.ts';

/** What a view has read, by the name of the reading. */
interface Readings {
  people: KeptPeople;
  roles: Kept<Role>;
  dataSources: Kept<DataSource>;
  permissions: Kept<Permission>;
  snippets: KeptSnippets;
  [rolePeople: `rolePeople ${string}`]: Kept<RolePerson>;
  [roleDataSources: `roleDataSources ${string}`]: Kept<RoleDataSource>;
  [connection: `connection ${string}`]: Connection;
}

export interface KeptReadings {
  readonly names: () => Iterable<string>;
  /** What was read under a name, to be changed; undefined where nothing was, which then is read anew. */
  readonly get: <N extends keyof Readings>(name: N) => Readings[N] | undefined;
  /** The same, only to look something up in it. */
  readonly peek: <N extends keyof Readings>(name: N) => Readings[N] | undefined;
  readonly set: <N extends keyof Readings>(name: N, reading: Readings[N]) => void;
  readonly drop: (name: string) => void;
  /** @param password undefined: it has none */
  readonly setPassword: (dataSource: string, password: string | undefined) => void;
}

/** The values of a step's call, with the ids that it refers to filled in; empty where a value is not known. */
type Values = (name: string) => string;

type Take = (kept: KeptReadings, params: Values, answer: never, step: Step, body: Values) => void;

/**
 * Takes into what was read what a step has changed.
 *
 * @param ids what the run has made, by the names that steps refer to
 */
export function takeAnswer(kept: KeptReadings, step: Step, answer: unknown, ids: ReadonlyMap<string, string>): void {
  const valuesOf =
    (values: Step['body'] = {}): Values =>
    (name) => {
      const value = values[name] ?? '';
      if (typeof value === 'string') return value;
      return typeof value === 'object' && isReference(value) ? (ids.get(value.ref) ?? '') : '';
    };
  // The client has checked the answer against the operation's schema.
  takers[step.operation](kept, valuesOf(step.params), answer as never, step, valuesOf(step.body));
}

const takers: Readonly<Record<StepOperation, Take>> = {
  createPerson: (kept, _params, person: Person) => kept.get('people')?.put(person),
  updatePerson: (kept, _params, person: Person) => {
    const { id, name, username, email } = person;
    kept.get('people')?.put(person);
    for (const list of kept.names()) {
      const members = list.startsWith('rolePeople ') ? kept.get(list as `rolePeople ${string}`) : undefined;
      const member = members?.byId.get(id);
      if (member !== undefined) members?.put({ ...member, name, username, email });
    }
    // To look for theirs at each of thousands of renamed people would take people × permissions.
    kept.drop('permissions');
    kept.drop('snippets');
  },
  lockPerson: (kept, params) => {
    setLocked(kept, params('person'), true);
  },
  unlockPerson: (kept, params) => {
    setLocked(kept, params('person'), false);
  },
  deletePerson: (kept, params) => {
    forgetPerson(kept, params('person'));
  },
  createRole: (kept, _params, role: Role) => {
    kept.get('roles')?.put(role);
    // A role that was just made has no members.
    kept.set(`rolePeople ${role.id}`, indexRolePeople([]));
    kept.set(`roleDataSources ${role.id}`, indexRoleDataSources([]));
  },
  updateRole: (kept, _params, role: Role) => {
    kept.get('roles')?.put(role);
    dropRolesOfPeople(kept);
    kept.drop('snippets');
  },
  deleteRole: (kept, params) => {
    const role = params('role');
    kept.get('roles')?.remove(role);
    for (const name of [`rolePeople ${role}`, `roleDataSources ${role}`]) kept.drop(name);
    dropRolesOfPeople(kept);
    disown(kept, ({ ownerRole }) => ownerRole?.id === role);
  },
  addRolePerson: (kept, params) => {
    putMember(kept, params, {});
  },
  setRolePersonWindows: (kept, params, _answer, step) => {
    putMember(kept, params, { windows: [...(windowsOf(step) ?? [])] });
  },
  removeRolePerson: (kept, params) => {
    kept.drop(`personRoles ${params('person')}`);
    kept.get(`rolePeople ${params('role')}`)?.remove(params('person'));
  },
  addRoleDataSource: (kept, params) => {
    const dataSource = kept.peek('dataSources')?.byId.get(params('dataSource'));
    if (dataSource === undefined) {
      kept.drop(`roleDataSources ${params('role')}`);
      return;
    }
    const { id, name, alias } = dataSource;
    kept.get(`roleDataSources ${params('role')}`)?.put({ id, name, alias, assignedAt: new Date().toISOString() });
  },
  removeRoleDataSource: (kept, params) => kept.get(`roleDataSources ${params('role')}`)?.remove(params('dataSource')),
  createDataSource: (kept, _params, detail: DataSourceDetail) => {
    putDataSource(kept, detail);
  },
  updateDataSource: (kept, _params, answer: DataSourceDetail, step) => {
    // A connection that was not sent comes back without its password, and stays what was read before.
    if (step.body?.['configUri'] === undefined) putListed(kept, answer);
    else putDataSource(kept, answer);
    // Its name and alias stand in other readings too.
    for (const name of kept.names()) {
      if (name.startsWith('roleDataSources ')) renameIn(kept.get(name as `roleDataSources ${string}`), answer);
    }
    renameInPermissions(kept, answer);
  },
  deleteDataSource: (kept, params) => {
    const dataSource = params('dataSource');
    kept.get('dataSources')?.remove(dataSource);
    kept.drop(`connection ${dataSource}`);
    for (const name of kept.names()) {
      if (name.startsWith('roleDataSources ')) kept.get(name as `roleDataSources ${string}`)?.remove(dataSource);
    }
    removeWhere(kept.get('permissions'), (permission) => permission.dataSource.id === dataSource);
  },
  createPermission: (kept, params, grant: PermissionGrant) => {
    const permissions = kept.get('permissions');
    const person = kept.peek('people')?.byId.get(params('person'));
    const dataSource = kept.peek('dataSources')?.byId.get(params('dataSource'));
    if (person === undefined || dataSource === undefined) {
      kept.drop('permissions');
      return;
    }
    const { id, name, username, email } = person;
    permissions?.put({
      ...grant,
      person: { id, name, username, email },
      dataSource: { id: dataSource.id, name: dataSource.name, alias: dataSource.alias },
    });
  },
  updatePermission: (kept, _params, permission: Permission) => kept.get('permissions')?.put(permission),
  deletePermission: (kept, params) => kept.get('permissions')?.remove(params('permission')),
  createSnippet: (kept, _params, snippet: Snippet) =>
    kept.get('snippets')?.put({ ...snippet, activeVersion: { ...snippet.activeVersion, dataSource: null } }),
  updateSnippet: (kept, params, _answer, { body: sent = {} }, body) => {
    changeSnippet(kept, params('snippet'), (snippet) => {
      const { publicAccessLevel } = sent as { publicAccessLevel?: Snippet['publicAccessLevel'] };
      const person = kept.peek('people')?.byId.get(body('ownerPersonId'));
      const role = kept.peek('roles')?.byId.get(body('ownerRoleId'));
      const isKnown =
        body('owner') === 'none' || (body('owner') === 'person' ? person !== undefined : role !== undefined);
      if (!isKnown || publicAccessLevel === undefined) return undefined;
      return {
        ...snippet,
        publicAccessLevel,
        ownerPerson:
          person === undefined
            ? null
            : { id: person.id, name: person.name, username: person.username, email: person.email },
        ownerRole: role === undefined ? null : { id: role.id, name: role.name },
      };
    });
  },
  lockSnippet: (kept, params) => {
    changeSnippet(kept, params('snippet'), (snippet) => ({ ...snippet, isLocked: true }));
  },
  unlockSnippet: (kept, params) => {
    changeSnippet(kept, params('snippet'), (snippet) => ({ ...snippet, isLocked: false }));
  },
  deleteSnippet: (kept, params) => {
    kept.get('snippets')?.remove(params('snippet'));
    kept.drop(`snippetVersions ${params('snippet')}`);
  },
  createSnippetVersion: (kept, params) => {
    kept.drop(`snippetVersions ${params('snippet')}`);
  },
  activateSnippetVersion: (kept, params, _answer, { changes = [] }) => {
    // What becomes active is what the plan wanted to be; where it does not say all of it, the list does.
    const to = Object.fromEntries(changes.map(({ field, to: value }) => [field, value]));
    changeSnippet(kept, params('snippet'), (snippet) => {
      const { name = snippet.activeVersion.name, text = snippet.activeVersion.text } = to;
      const { description = snippet.activeVersion.description } = to;
      if (changes.length === 0 || name === null || text === null || description === null) return undefined;
      return {
        ...snippet,
        activeVersion: { id: params('snippetVersion'), name, text, description, dataSource: null },
      };
    });
  },
};

/** @param times when the person has the role, where that is not always */
function putMember(kept: KeptReadings, params: Values, times: Pick<RolePerson, 'windows'>): void {
  const person = kept.peek('people')?.byId.get(params('person'));
  kept.drop(`personRoles ${params('person')}`);
  if (person === undefined) {
    kept.drop(`rolePeople ${params('role')}`);
    return;
  }
  const { id, username, email, name } = person;
  const members = kept.get(`rolePeople ${params('role')}`);
  const assignedAt = members?.byId.get(id)?.assignedAt ?? new Date().toISOString();
  members?.put({ id, username, email, name, assignedAt, ...times });
}

function setLocked(kept: KeptReadings, id: string, isLocked: boolean): void {
  const people = kept.get('people');
  const person = people?.byId.get(id);
  if (person !== undefined) people?.put({ ...person, isLocked });
}

/** With a person go memberships and permissions; snippets stay, without an owner. */
function forgetPerson(kept: KeptReadings, person: string): void {
  kept.get('people')?.remove(person);
  kept.drop(`personRoles ${person}`);
  for (const name of kept.names()) {
    if (name.startsWith('rolePeople ')) kept.get(name as `rolePeople ${string}`)?.remove(person);
  }
  removeWhere(kept.get('permissions'), (permission) => permission.person.id === person);
  disown(kept, ({ ownerPerson }) => ownerPerson?.id === person);
}

function dropRolesOfPeople(kept: KeptReadings): void {
  for (const name of kept.names()) if (name.startsWith('personRoles ')) kept.drop(name);
}

function putDataSource(kept: KeptReadings, detail: DataSourceDetail): void {
  putListed(kept, detail);
  const { connection, password } = splitConnection(detail);
  kept.set(`connection ${detail.id}`, connection);
  kept.setPassword(detail.id, password);
}

function putListed(kept: KeptReadings, detail: DataSourceDetail): void {
  kept.get('dataSources')?.put({ ...detail, configUri: redactConnectionUri(detail.configUri) });
  // Who reads it with its password reads it again.
  kept.drop(`dataSourceDetail ${detail.id}`);
}

function renameIn(members: Kept<RoleDataSource> | undefined, { id, name, alias }: DataSourceDetail): void {
  const member = members?.byId.get(id);
  if (member !== undefined) members?.put({ ...member, name, alias });
}

function renameInPermissions(kept: KeptReadings, { id, name, alias }: DataSourceDetail): void {
  const permissions = kept.get('permissions');
  for (const permission of permissions?.all.filter(({ dataSource }) => dataSource.id === id) ?? []) {
    permissions?.put({ ...permission, dataSource: { id, name, alias } });
  }
}

function removeWhere<T extends { id: string }>(collection: Kept<T> | undefined, isGone: (object: T) => boolean): void {
  for (const { id } of collection?.all.filter(isGone) ?? []) collection?.remove(id);
}

function disown(kept: KeptReadings, isTheirs: (snippet: ListedSnippet) => boolean): void {
  const snippets = kept.get('snippets');
  for (const snippet of snippets?.all.filter(isTheirs) ?? []) {
    snippets?.put({ ...snippet, ownerPerson: null, ownerRole: null });
  }
}

/** @param change undefined where what was changed is not known: then the list tells */
function changeSnippet(
  kept: KeptReadings,
  id: string,
  change: (snippet: ListedSnippet) => ListedSnippet | undefined,
): void {
  const snippets = kept.get('snippets');
  const snippet = snippets?.byId.get(id);
  if (snippet === undefined) return;
  const changed = change(snippet);
  if (changed === undefined) kept.drop('snippets');
  else snippets?.put(changed);
}
