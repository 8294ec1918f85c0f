import { snippetNameKey } from '../model/keys.ts';
import { idOf, type Step, type StepValue } from '../model/step.ts';
import type { View } from '../view/view.ts';

/** The members of a role as far as they are known; undefined where the role's list was never read. */
type Known = ReadonlySet<string> | undefined;

/** Access that a step takes away: for these people to these data sources; undefined means anyone or anything. */
interface Loss {
  step: Step;
  /** Empty for a loss that is no role's. */
  role: string;
  people: Known;
  dataSources: Known;
}

/**
 * Finds, for each step that takes access away, the grants that must have succeeded before: those by which a person
 * keeps reaching a data source that the step takes from them. Where a role's members were not read, it errs towards
 * waiting; a grant that has nothing to do with the loss is never waited for, so that its failure holds up no revocation.
 *
 * @returns ids of grants by the id of the step that waits
 */
export function grantsToWaitFor(steps: readonly Step[], view: View): Map<string, string[]> {
  const grants = steps.filter(({ operation }) => grantOperations.has(operation));
  if (grants.length === 0) return new Map();
  const added = indexAdded(grants);
  const members = rememberMembers(view);
  const candidates = indexByPerson(grants);
  const waits = new Map<string, string[]>();
  for (const step of steps) {
    const loss = lossOf(step, view, members);
    if (loss === undefined) continue;
    const needed = candidates(loss.people).filter((grant) => keeps(grant, loss, members, added));
    if (needed.length > 0)
      waits.set(
        step.id,
        needed.map(({ id }) => id),
      );
  }
  return waits;
}

const grantOperations = new Set<string>(['addRolePerson', 'addRoleDataSource', 'createPermission']);

function lossOf(step: Step, view: View, { rolePeople, roleDataSources }: Members): Loss | undefined {
  const role = idOf(step.params['role']);
  switch (step.operation) {
    case 'removeRolePerson':
      return { step, role, people: new Set([idOf(step.params['person'])]), dataSources: roleDataSources(role) };
    case 'removeRoleDataSource':
      return { step, role, people: rolePeople(role), dataSources: new Set([idOf(step.params['dataSource'])]) };
    case 'deleteRole':
      return { step, role, people: rolePeople(role), dataSources: roleDataSources(role) };
    case 'deletePermission': {
      const permission = view.peek('permissions')?.byId.get(idOf(step.params['permission']));
      return {
        step,
        role: '',
        people: permission && new Set([permission.person.id]),
        dataSources: permission && new Set([permission.dataSource.id]),
      };
    }
    default:
      return undefined;
  }
}

/** Whether a grant gives some of the lost access by another way. */
function keeps(grant: Step, loss: Loss, { rolePeople, roleDataSources }: Members, added: Added): boolean {
  const person = idOf(grant.params['person']);
  const dataSource = idOf(grant.params['dataSource']);
  const role = idOf(grant.params['role']);
  if (grant.operation === 'createPermission') return has(loss.people, person) && has(loss.dataSources, dataSource);
  if (role === loss.role) return false;
  if (grant.operation === 'addRolePerson') {
    return (
      has(loss.people, person) && overlap(union(roleDataSources(role), added.dataSources.get(role)), loss.dataSources)
    );
  }
  return has(loss.dataSources, dataSource) && overlap(union(rolePeople(role), added.people.get(role)), loss.people);
}

interface Added {
  people: Map<string, Set<string>>;
  dataSources: Map<string, Set<string>>;
}

function indexAdded(grants: readonly Step[]): Added {
  const added: Added = { people: new Map(), dataSources: new Map() };
  for (const { operation, params } of grants) {
    const role = idOf(params['role']);
    if (operation === 'addRolePerson') put(added.people, role, idOf(params['person']));
    else if (operation === 'addRoleDataSource') put(added.dataSources, role, idOf(params['dataSource']));
  }
  return added;
}

function put(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

/** Narrows the grants to those that can matter to people: pairing every loss with every grant grows with the square. */
function indexByPerson(grants: readonly Step[]): (people: Known) => readonly Step[] {
  const byPerson = Map.groupBy(grants, ({ params }) => idOf(params['person']));
  const toRoles = byPerson.get('') ?? [];
  return (people) =>
    people === undefined ? grants : [...[...people].flatMap((id) => byPerson.get(id) ?? []), ...toRoles];
}

interface Members {
  rolePeople: (role: string) => Known;
  roleDataSources: (role: string) => Known;
}

/** The members of a role, as far as they were read. A role that this plan makes has only the members that it adds. */
function rememberMembers(view: View): Members {
  const known = new Map<string, Known>();
  const remember = (name: `rolePeople ${string}` | `roleDataSources ${string}`, role: string): Known => {
    if (isMade(role)) return noMembers;
    if (!known.has(name)) {
      const ids = view.peek(name)?.byId.keys();
      known.set(name, ids && new Set(ids));
    }
    return known.get(name);
  };
  return {
    rolePeople: (role) => remember(`rolePeople ${role}`, role),
    roleDataSources: (role) => remember(`roleDataSources ${role}`, role),
  };
}

const noMembers: ReadonlySet<string> = new Set();

const has = (set: Known, id: string): boolean => set === undefined || set.has(id);

const overlap = (a: Known, b: Known): boolean => a === undefined || b === undefined || !a.isDisjointFrom(b);

const union = (known: Known, more: ReadonlySet<string> | undefined): Known =>
  known === undefined || more === undefined ? known : known.union(more);

/** Ids have no spaces, names of references have one. */
const isMade = (id: string): boolean => id.includes(' ');

/**
 * Finds, for each snippet that is deleted, the new ones of its name, which must stand before it goes. Else a run that is
 * interrupted in between leaves fewer of the name, and the next one takes the last of them over instead of making a new one.
 *
 * @returns ids of the steps that create, by the id of the step that waits
 */
export function newSnippetsToWaitFor(steps: readonly Step[], view: View): Map<string, string[]> {
  const creating = steps.filter(({ operation }) => operation === 'createSnippet');
  if (creating.length === 0) return new Map();
  const created = Map.groupBy(creating, ({ body }) => nameIn(body?.['name']));
  const waits = new Map<string, string[]>();
  for (const { id, operation, params } of steps) {
    if (operation !== 'deleteSnippet') continue;
    const snippet = view.peek('snippets')?.byId.get(idOf(params['snippet']));
    const copies = snippet && created.get(snippetNameKey(snippet.activeVersion.name));
    if (copies !== undefined)
      waits.set(
        id,
        copies.map((copy) => copy.id),
      );
  }
  return waits;
}

/** The key of a name in a body. Names are texts there; whatever else came would be the name of no snippet. */
const nameIn = (name: StepValue | undefined): string => (typeof name === 'string' ? snippetNameKey(name) : '');
