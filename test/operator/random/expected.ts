import type { Client } from '@rolecall/api';

type Text =
  | 'username'
  | 'alias'
  | 'name'
  | 'email'
  | 'uri'
  | 'text'
  | 'role'
  | 'person'
  | 'dataSource'
  | 'startsAt'
  | 'expiresAt';

/** The fields of all kinds that the test declares. */
export type Spec = Readonly<
  Partial<Record<Text, string | undefined>> & {
    locked?: boolean;
    people?: readonly string[];
    dataSources?: readonly string[];
    owner?: { readonly person?: string; readonly role?: string } | undefined;
  }
>;

export const kinds = ['Person', 'DataSource', 'Role', 'RoleMembership', 'Permission', 'Snippet'] as const;
export type Kind = (typeof kinds)[number];

/** The field that says what an object is called in the workspace. */
export const nameField = { Person: 'username', DataSource: 'alias', Role: 'name', Snippet: 'name' } as const;

/** An object that is declared in the cluster. */
export interface Declared {
  readonly kind: Kind;
  readonly name: string;
  readonly spec: Spec;
  /** What tells which of two is older, as text. */
  readonly age: string;
}

export type Reason = 'Converged' | 'Conflict' | 'MissingReference';

export interface Expected {
  /** What the workspace has, a line each. */
  readonly lines: readonly string[];
  /** What each object says, by label. */
  readonly reasons: ReadonlyMap<string, Reason>;
}

export const labelOf = ({ kind, name }: Pick<Declared, 'kind' | 'name'>): string => `${kind}/${name}`;

/** The labels of what an object refers to. */
export function referencesOf({ spec }: Declared): string[] {
  const { people = [], dataSources = [], role, person, dataSource, owner } = spec;
  const of = (kind: Kind, names: readonly (string | undefined)[]) =>
    names.flatMap((name) => (name === undefined ? [] : labelOf({ kind, name })));
  return [
    ...of('Person', [...people, person, owner?.person]),
    ...of('DataSource', [...dataSources, dataSource]),
    ...of('Role', [role, owner?.role]),
  ];
}

/** What objects declare, worked out from the documentation alone. Of two that declare the same, the older one has it. */
export function expectedOf(objects: readonly Declared[]): Expected {
  const byLabel = new Map(objects.map((object) => [labelOf(object), object]));
  const reasons = new Map<string, Reason>();
  const lines = new Map<string, string[]>();
  const called = (kind: 'Person' | 'DataSource' | 'Role', name = ''): string =>
    byLabel.get(`${kind}/${name}`)?.spec[nameField[kind]] ?? `?${name}`;
  for (const object of objects.toSorted((a, b) => (a.age < b.age ? -1 : 1))) {
    const [key = '', ...more] = linesOf(object, called);
    const isWhole = referencesOf(object).every((label) => byLabel.has(label));
    reasons.set(labelOf(object), lines.has(key) ? 'Conflict' : isWhole ? 'Converged' : 'MissingReference');
    if (!lines.has(key)) lines.set(key, isWhole ? more : []);
  }
  const all = new Set([...lines.values()].flat());
  return { reasons, lines: [...all].filter((line) => !isTimedBeside(line, all)).sort() };
}

/** Whether a person who has a role for a time has it always, too. */
function isTimedBeside(line: string, all: ReadonlySet<string>): boolean {
  const [always = '', window] = line.split(timed);
  return window !== undefined && all.has(always);
}

/** The natural key of an object, and a line for each thing that the workspace has by it. */
function linesOf(
  { kind, spec }: Declared,
  called: (kind: 'Person' | 'DataSource' | 'Role', name?: string) => string,
): string[] {
  const { username = '', alias = '', name = '', email = '', uri = '', text = '', locked = false } = spec;
  const { person, dataSource, role, startsAt, expiresAt = '', people = [], dataSources = [], owner } = spec;
  switch (kind) {
    case 'Person':
      return [`person ${username}`, personLine({ username, name, email, isLocked: locked })];
    case 'DataSource':
      return [`data source ${alias}`, dataSourceLine(alias, name, uri)];
    case 'Role':
      return [
        `role ${name}`,
        `role ${name}`,
        ...people.map((one) => memberLine(name, called('Person', one))),
        ...dataSources.map((one) => memberLine(name, called('DataSource', one))),
      ];
    case 'RoleMembership': {
      const member = person === undefined ? called('DataSource', dataSource) : called('Person', person);
      const line = memberLine(called('Role', role), member, expiresAt === '' ? undefined : { startsAt, expiresAt });
      return [`membership of ${line}`, line];
    }
    case 'Permission': {
      const line = permissionLine(called('Person', person), called('DataSource', dataSource), startsAt, expiresAt);
      return [line, line];
    }
    case 'Snippet': {
      const ofPerson = owner?.person && called('Person', owner.person);
      const line = snippetLine(name, ofPerson ?? (owner?.role && called('Role', owner.role)));
      return [line, `${line}: ${text}`];
    }
  }
}

const personLine = (one: { username: string; name: string; email: string; isLocked: boolean }): string =>
  `person ${one.username}: ${one.name}, ${one.email}${one.isLocked ? ', locked' : ''}`;

const dataSourceLine = (alias: string | null, name: string, uri = ''): string =>
  `data source ${alias ?? ''}: ${name}, ${uri}`;

const permissionLine = (person: string, dataSource: string | null, startsAt: string | undefined, expiresAt: string) =>
  `permission of ${person} for ${dataSource ?? ''} from ${startsAt ?? 'now'} until ${expiresAt}`;

const snippetLine = (name: string, owner: string | undefined): string => `snippet ${name} of ${owner ?? 'no one'}`;

const timed = ', only from ';

function memberLine(role: string, member: string | null, window?: Pick<Spec, 'startsAt' | 'expiresAt'>): string {
  const line = `${member ?? ''} in ${role}`;
  return window === undefined ? line : `${line}${timed}${window.startsAt ?? ''} until ${window.expiresAt ?? ''}`;
}

/** No object declares a permission that ends before. */
const bridgesEndBy = '2090';

/** What a workspace has: a line each, and the ids of what may be left over by mistake. */
export async function readWorkspace(client: Client): Promise<{ lines: string[]; ids: ReadonlySet<string> }> {
  const [people, dataSources, roles, permissions, snippets] = await Promise.all([
    client.call('listPeople', {}),
    client.call('listDataSources', {}),
    client.call('listRoles', {}),
    client.call('listPermissions', {}),
    client.call('listSnippets', {}),
  ]);
  const connections = await Promise.all(
    dataSources.map(({ id }) => client.call('getDataSourceDetail', { params: { dataSource: id } })),
  );
  const members = await Promise.all(
    roles.map(async ({ id, name }) => {
      const params = { role: id };
      const inRole = await client.call('listRolePeople', { params });
      const reached = await client.call('listRoleDataSources', { params });
      return [
        `role ${name}`,
        ...inRole.flatMap(({ username, windows }) =>
          windows === undefined
            ? [memberLine(name, username)]
            : windows.map((window) => memberLine(name, username, window)),
        ),
        ...reached.map(({ alias }) => memberLine(name, alias)),
      ];
    }),
  );
  const now = new Date().toISOString();
  const lines = [
    ...people.map(personLine),
    ...dataSources.map(({ alias, name }, at) => dataSourceLine(alias, name, connections[at]?.configUri)),
    ...members.flat(),
    ...permissions.flatMap(({ person, dataSource, startsAt, expiresAt }) => {
      // A run that fails in between leaves a bridge for at most an hour (docs/decisions/0052).
      if (expiresAt < bridgesEndBy) return [];
      const start = startsAt <= now ? undefined : startsAt;
      return permissionLine(person.username, dataSource.alias, start, expiresAt);
    }),
    ...snippets.map(({ activeVersion: { name, text }, ownerPerson, ownerRole }) => {
      return `${snippetLine(name, ownerPerson?.username ?? ownerRole?.name)}: ${text}`;
    }),
  ];
  const all = [...people, ...dataSources, ...roles, ...permissions, ...snippets];
  return { lines: lines.sort(), ids: new Set(all.map(({ id }) => id)) };
}
