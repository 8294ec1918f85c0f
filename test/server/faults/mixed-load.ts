import type { Permission, Person, Role, Snippet } from '@rolecall/api';

/** What one client has made, as it should be found: by names, since ids are the service's. */
export interface State {
  /** Usernames, and whether they are locked. */
  people: Record<string, boolean>;
  /** Names of roles, with the usernames in them. */
  roles: Record<string, string[]>;
  /** Usernames that have a permission on the shared data source, with its start. */
  permissions: Record<string, string>;
  /** Names of snippets, and whether they are locked. */
  snippets: Record<string, boolean>;
}

/** One request, and what it makes of the state. */
export interface Step {
  /** The operation's id, as the audit trail calls it. */
  operation: string;
  method: string;
  path: string;
  form?: Record<string, string>;
  after: State;
}

/** Ids of what is there, by kind and name, as in person:ada. */
export type Ids = ReadonlyMap<string, string>;

export const nothing: State = { people: {}, roles: {}, permissions: {}, snippets: {} };

/** More than this of a kind is not made: lists that grow would make each round slower. */
const most = 6;

/**
 * Chooses a request that changes something of what a client has made.
 *
 * @param random from 0 to below 1
 * @param count makes new names unique
 */
export function nextStep(
  client: string,
  state: State,
  ids: Ids,
  dataSource: string,
  random: () => number,
  count: number,
): Step {
  const candidates = stepsFrom(client, state, ids, dataSource, count);
  const step = candidates[Math.floor(random() * candidates.length)];
  if (step === undefined) throw new Error('there is nothing to do');
  return step;
}

function stepsFrom(client: string, state: State, ids: Ids, dataSource: string, count: number): Step[] {
  const name = `${client}-${count}`;
  const idOf = (kind: string, of: string): string => ids.get(`${kind}:${of}`) ?? '';
  const step = (
    operation: string,
    method: string,
    path: string,
    change: (after: State) => void,
    form?: Step['form'],
  ) => {
    const after = structuredClone(state);
    change(after);
    return { operation, method, path, after, ...(form === undefined ? {} : { form }) };
  };
  const people = Object.entries(state.people).flatMap(([username, locked]) => {
    const path = `/person/${idOf('person', username)}`;
    const granted = state.permissions[username];
    return [
      step(
        locked ? 'unlockPerson' : 'lockPerson',
        'PUT',
        `${path}/${locked ? 'unlock' : 'lock'}`,
        ({ people: all }) => {
          all[username] = !locked;
        },
      ),
      ...(locked
        ? [
            step('deletePerson', 'DELETE', path, (after) => {
              remove(after, username);
            }),
          ]
        : []),
      granted === undefined
        ? step(
            'createPermission',
            'POST',
            `/data-source/${dataSource}/permission${path}`,
            ({ permissions }) => {
              permissions[username] = startOf(count);
            },
            { startsAt: startOf(count), duration: '3600' },
          )
        : step('deletePermission', 'DELETE', `/permission/${idOf('permission', username)}`, ({ permissions }) => {
            Reflect.deleteProperty(permissions, username);
          }),
    ];
  });
  const memberships = Object.entries(state.roles).flatMap(([role, members]) =>
    Object.keys(state.people).map((username) => {
      const isIn = members.includes(username);
      const path = `/role/${idOf('role', role)}/person/${idOf('person', username)}`;
      return step(isIn ? 'removeRolePerson' : 'addRolePerson', isIn ? 'DELETE' : 'PUT', path, ({ roles }) => {
        roles[role] = isIn ? members.filter((one) => one !== username) : [...members, username].sort();
      });
    }),
  );
  const roles = Object.keys(state.roles).map((role) =>
    step('deleteRole', 'DELETE', `/role/${idOf('role', role)}`, (after) => Reflect.deleteProperty(after.roles, role)),
  );
  const snippets = Object.entries(state.snippets).flatMap(([snippet, locked]) => {
    const path = `/snippet/${idOf('snippet', snippet)}`;
    return [
      step(locked ? 'unlockSnippet' : 'lockSnippet', 'PUT', `${path}/${locked ? 'unlock' : 'lock'}`, (after) => {
        after.snippets[snippet] = !locked;
      }),
      step('deleteSnippet', 'DELETE', path, (after) => Reflect.deleteProperty(after.snippets, snippet)),
    ];
  });
  const made = [
    step('createPerson', 'POST', '/person', (after) => Object.assign(after.people, { [name]: false }), {
      name: 'Ada Lovelace',
      username: name,
      email: `${name}@example.com`,
    }),
    step('createRole', 'POST', '/role', (after) => Object.assign(after.roles, { [name]: [] }), { name }),
    step('createSnippet', 'POST', '/snippet', (after) => Object.assign(after.snippets, { [name]: false }), {
      ...{
        name,
        description: '',
        text: `select ${count}`,
        isLocked: 'false',
        publicAccessLevel: 'none',
        owner: 'none',
      },
    }),
  ].filter((_, index) => Object.keys([state.people, state.roles, state.snippets][index] ?? {}).length < most);
  // Some of each sort, whatever there is most of.
  return [...made, ...made, ...people, ...memberships.slice(0, 8), ...roles.slice(0, 1), ...snippets.slice(0, 4)];
}

function remove({ people, roles, permissions }: State, username: string): void {
  Reflect.deleteProperty(people, username);
  Reflect.deleteProperty(permissions, username);
  for (const [role, members] of Object.entries(roles)) roles[role] = members.filter((one) => one !== username);
}

/** Tells the permissions of a person apart. */
function startOf(count: number): string {
  return new Date(Date.UTC(2030, 0, 1) + count * 1000).toISOString();
}

type Get = <T>(path: string) => Promise<T>;

/** Reads what every client has made: what each should be, in one look at the whole workspace. */
export async function observe(get: Get): Promise<{ ids: Map<string, string>; states: Map<string, State> }> {
  const [people, roles, permissions, snippets] = await Promise.all([
    get<Person[]>('/person'),
    get<Role[]>('/role'),
    get<Permission[]>('/permission'),
    get<Snippet[]>('/snippet'),
  ]);
  const ids = new Map<string, string>();
  const states = new Map<string, State>();
  const stateOf = (name: string): State => {
    const client = name.slice(0, name.lastIndexOf('-'));
    const state = states.get(client) ?? structuredClone(nothing);
    states.set(client, state);
    return state;
  };
  for (const { id, username, isLocked } of people) {
    ids.set(`person:${username}`, id);
    stateOf(username).people[username] = isLocked;
  }
  await Promise.all(
    roles.map(async ({ id, name }) => {
      const members = await get<Person[]>(`/role/${id}/person`);
      ids.set(`role:${name}`, id);
      stateOf(name).roles[name] = members.map(({ username }) => username).sort();
    }),
  );
  for (const { id, person, startsAt } of permissions) {
    ids.set(`permission:${person.username}`, id);
    stateOf(person.username).permissions[person.username] = startsAt;
  }
  for (const { id, isLocked, activeVersion } of snippets) {
    ids.set(`snippet:${activeVersion.name}`, id);
    stateOf(activeVersion.name).snippets[activeVersion.name] = isLocked;
  }
  return { ids, states };
}
