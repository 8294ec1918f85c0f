import type { ListedSnippet, Permission, Role, RoleAssignment } from '@rolecall/api';
import type { Claimed } from '../model/claims.ts';
import { type DesiredState, label } from '../model/desired.ts';
import { personKey, roleKey, snippetNameKey } from '../model/keys.ts';
import {
  idOf,
  isJoining,
  isReference,
  listUpTo,
  type Note,
  type Refusal,
  referenceName,
  type Step,
  stepId,
} from '../model/step.ts';
import { isOver, shortTime } from '../model/window.ts';
import type { Reader } from '../view/without-people.ts';

/** A person whom a plan deletes and creates again, because people cannot be edited. */
export interface ReplacedPerson {
  /** The id that ends with the deletion. */
  readonly id: string;
  /** The name under which steps refer to the new person. */
  readonly makes: string;
  /** The username of the new person. */
  readonly username: string;
  readonly object: Step['object'];
}

/** The people whom these steps replace. */
export function findReplaced(steps: readonly Step[]): ReplacedPerson[] {
  const creates = new Map(
    steps.filter(({ operation }) => operation === 'createPerson').map((step) => [label(step.object), step]),
  );
  return steps.flatMap(({ operation, effect, params, object }) => {
    if (operation !== 'deletePerson' || effect !== 'replace') return [];
    const create = creates.get(label(object));
    const username = create?.body?.['username'];
    if (create?.makes === undefined || typeof username !== 'string') return [];
    return [{ id: idOf(params['person']), makes: create.makes, username, object }];
  });
}

/** What the service deletes with a person, or leaves without an owner. */
export interface PersonGrants {
  readonly roles: readonly RoleAssignment[];
  readonly permissions: readonly Permission[];
  readonly snippets: readonly ListedSnippet[];
}

/** Reads the lists of permissions and snippets. @returns reads the roles of a person, and gives all that the person has */
export async function readGrants(
  view: Pick<Reader, 'personRoles' | 'permissions' | 'snippets'>,
): Promise<(person: string) => Promise<PersonGrants>> {
  const [permissions, snippets] = await Promise.all([view.permissions(), view.snippets()]);
  const permissionsOf = Map.groupBy(permissions.all, ({ person }) => person.id);
  const snippetsOf = Map.groupBy(snippets.all, ({ ownerPerson }) => ownerPerson?.id);
  return async (person) => ({
    roles: await view.personRoles(person),
    permissions: permissionsOf.get(person) ?? [],
    snippets: snippetsOf.get(person) ?? [],
  });
}

/** Names each grant: `the role analysts`, `billing until 2030-01-01T00:00Z`, `the snippet Top`. */
function nameGrants({ roles, permissions, snippets }: PersonGrants): string[] {
  return [
    ...roles.map(({ name }) => `the role ${name}`),
    ...permissions.map(
      ({ dataSource, expiresAt }) => `${dataSource.alias ?? dataSource.name} until ${shortTime(expiresAt)}`,
    ),
    ...snippets.map(({ activeVersion }) => `the snippet ${activeVersion.name}`),
  ];
}

/** A plan whose steps were made over the workspace without the people that it replaces. */
interface Planned {
  readonly steps: readonly Step[];
  readonly state: DesiredState;
  readonly claimed: Claimed;
  readonly now: Date;
}

/**
 * Notes for each replaced person what the definitions give back, and refuses the loss of what they do not give back: once the person is
 * deleted, nothing in the workspace tells what they had, so a run that is interrupted could not give it back.
 *
 * @param view the workspace as it is, with these people
 * @returns the steps; those that give a grant back have the effect `replace`
 */
export async function keepGrants(
  planned: Planned,
  people: readonly ReplacedPerson[],
  view: Reader,
): Promise<{ steps: Step[]; refusals: Refusal[]; notes: Note[] }> {
  const back = new Map<string, Step>();
  const refusals: Refusal[] = [];
  const notes: Note[] = [];
  if (people.length === 0) return { steps: [...planned.steps], refusals, notes };
  const index = new PlannedIndex(planned, view.peek('roles')?.byId ?? new Map());
  const grantsOf = await readGrants(view);
  for (const person of people) {
    const grants = await grantsOf(person.id);
    const kept = givenBack(grants, person, index, planned.now);
    for (const step of kept.values()) back.set(step.id, step);
    const lost = lostGrants(grants, new Set(kept.keys()), person, index, planned);
    if (lost.length > 0) refusals.push(wouldLose(person, lost));
    notes.push({ object: label(person.object), message: replacementNote(kept.size, grants.permissions, planned.now) });
  }
  const steps = planned.steps.map(
    (step): Step => (back.has(step.id) ? { ...step, effect: 'replace', reason: madeAgain } : step),
  );
  return { steps, refusals, notes };
}

const madeAgain = 'ends with the person who is replaced, and is made again';

/** What a plan says, indexed: each of thousands of replaced people asks for it. */
class PlannedIndex {
  /** Roles whose people definitions alone decide. */
  readonly decided: ReadonlySet<string>;
  /** The ids that definitions name. */
  readonly declared: ReadonlySet<string>;
  readonly #byId: ReadonlyMap<string, Step>;
  readonly #byPerson: ReadonlyMap<string, readonly { step: Step }[]>;
  readonly #roles: ReadonlyMap<string, Pick<Role, 'name'>>;
  /** The names of declared roles, by label. */
  readonly #roleNames: ReadonlyMap<string, string>;
  /** The names of the snippets that people own by definition. */
  readonly #snippetNames: ReadonlyMap<string, readonly { name: string }[]>;

  /** @param roles those that are there, by id; a plan that renames one has read them */
  constructor({ steps, state }: Planned, roles: ReadonlyMap<string, Pick<Role, 'name'>>) {
    this.#roles = roles;
    this.#roleNames = new Map(
      state.objects.flatMap((object) => (object.kind === 'Role' ? [[label(object), object.role] as const] : [])),
    );
    this.decided = rolesWithDeclaredPeople(state);
    this.declared = new Set(state.objects.flatMap(({ id }) => id ?? []));
    this.#byId = new Map(steps.map((step) => [step.id, step]));
    const references = steps.flatMap((step) =>
      [step.params['person'], step.body?.['ownerPersonId']].flatMap((value) =>
        value !== undefined && value !== null && isReference(value) ? [{ ref: value.ref, step }] : [],
      ),
    );
    this.#byPerson = Map.groupBy(references, ({ ref }) => ref);
    const owned = state.objects.flatMap((object) =>
      object.kind === 'Snippet' && object.owner?.kind === 'Person'
        ? [{ owner: personKey(object.owner.username), name: snippetNameKey(object.snippet) }]
        : [],
    );
    this.#snippetNames = Map.groupBy(owned, ({ owner }) => owner);
  }

  /** The steps for a person who is about to be made. */
  stepsFor(makes: string): readonly Step[] {
    return this.#byPerson.get(makes)?.map(({ step }) => step) ?? [];
  }

  snippetNamesOf(username: string): ReadonlySet<string> {
    return new Set(this.#snippetNames.get(personKey(username))?.map(({ name }) => name));
  }

  isRemoved(operation: 'deleteRole' | 'deleteDataSource' | 'deleteSnippet', id: string): boolean {
    return this.#byId.get(stepId(operation, id))?.effect === 'remove';
  }

  /** Whether a step adds to a role, or to the one that takes its place. */
  isOfRole({ params }: Step, role: RoleAssignment): boolean {
    const to = idOf(params['role']);
    if (to === role.id) return true;
    const name = this.#roles.get(to)?.name;
    return (
      (name === undefined ? to : referenceName('Role', roleKey(name))) === referenceName('Role', this.goesOnAs(role))
    );
  }

  /** The key of a role once the plan has run: that of the one that takes its place, where it is renamed. */
  goesOnAs({ id, name }: Pick<RoleAssignment, 'id' | 'name'>): string {
    const renamed = this.#byId.get(stepId('deleteRole', id));
    const after = renamed?.effect === 'replace' ? this.#roleNames.get(label(renamed.object)) : undefined;
    return roleKey(after ?? name);
  }
}

/** The steps that give a grant back, by the id of the role, permission or snippet. */
function givenBack(
  { roles, permissions, snippets }: PersonGrants,
  { makes }: ReplacedPerson,
  index: PlannedIndex,
  now: Date,
): Map<string, Step> {
  const own = index.stepsFor(makes);
  const find = (id: string, isBack: (step: Step) => boolean): [string, Step][] => {
    const step = own.find(isBack);
    return step === undefined ? [] : [[id, step]];
  };
  return new Map([
    ...roles.flatMap((role) => find(role.id, (step) => isJoining(step) && index.isOfRole(step, role))),
    ...permissions.flatMap((permission) => find(permission.id, (step) => givesWindow(step, permission, now))),
    ...snippets.flatMap(({ id }) => find(id, (step) => step.id === stepId('updateSnippet', id))),
  ]);
}

/** Whether a step grants the same data source for what is left of the same window. */
function givesWindow({ operation, params, body = {} }: Step, { dataSource, ...old }: Permission, now: Date): boolean {
  if (operation !== 'createPermission' || idOf(params['dataSource']) !== dataSource.id) return false;
  const begins = body['startsAt'];
  const startsAt = typeof begins === 'string' ? Date.parse(begins) : Number.NaN;
  const isSameStart =
    startsAt === Date.parse(old.startsAt) || Math.max(startsAt, Date.parse(old.startsAt)) <= now.getTime();
  return isSameStart && startsAt + Number(body['duration']) * 1000 === Date.parse(old.expiresAt);
}

/** What ends with a person though no definition says that it should. */
function lostGrants(
  { roles, permissions, snippets }: PersonGrants,
  kept: ReadonlySet<string>,
  { username }: ReplacedPerson,
  index: PlannedIndex,
  { state, claimed, now }: Planned,
): string[] {
  const { decided, declared } = index;
  const ownNames = index.snippetNamesOf(username);
  return nameGrants({
    roles: roles.filter(
      (role) => !kept.has(role.id) && !decided.has(index.goesOnAs(role)) && !index.isRemoved('deleteRole', role.id),
    ),
    permissions: permissions.filter(
      (permission) =>
        !kept.has(permission.id) &&
        !isOver(permission, now) &&
        !state.exact.includes('permissions') &&
        !declared.has(permission.id) &&
        state.bridges?.has(permission.id) !== true &&
        !index.isRemoved('deleteDataSource', permission.dataSource.id),
    ),
    snippets: snippets.filter(({ id, activeVersion }) => {
      if (kept.has(id) || declared.has(id) || index.isRemoved('deleteSnippet', id)) return false;
      // Another definition may take it over, unless it is the one that the person's own definition means.
      return !claimed.snippets.has(id) || ownNames.has(snippetNameKey(activeVersion.name));
    }),
  });
}

/** Roles whose people definitions alone decide: a person who is not declared in one must leave it. */
function rolesWithDeclaredPeople({ objects, exact }: DesiredState): Set<string> {
  const isExact = exact.includes('memberships');
  const roles = objects.filter((object) => object.kind === 'Role');
  const declared = new Set(roles.map(({ role }) => roleKey(role)));
  const listing = roles.filter(({ people, paused, observeOnly }) => (isExact || people) && !paused && !observeOnly);
  const named = isExact ? objects.filter((object) => object.kind === 'RoleMembership') : [];
  return new Set([
    ...listing.map(({ role }) => roleKey(role)),
    ...named.map(({ role }) => roleKey(role)).filter((role) => !declared.has(role)),
  ]);
}

function wouldLose({ object }: ReplacedPerson, lost: readonly string[]): Refusal {
  const name = label(object);
  return {
    rail: 'replace-person',
    objects: [name],
    message: `${name} would be deleted and created again, and no definition gives back ${listUpTo(10, lost)}`,
    remedy:
      'declare what is to stay (rolecall export writes it down), or take it from the person in the workspace; the override lets it end, and leaves snippets without an owner',
    override: `replace-person:${name}`,
  };
}

/** What a reviewer must know. */
function replacementNote(kept: number, permissions: readonly Permission[], now: Date): string {
  const back =
    kept === 0
      ? 'nothing is made again'
      : `${kept} of their grants and snippets ${kept === 1 ? 'is' : 'are'} made again`;
  const over = permissions.filter((permission) => isOver(permission, now)).length;
  const records = over === 0 ? '' : `; the record of ${over} ended ${over === 1 ? 'permission' : 'permissions'} goes`;
  return `is deleted and created again, and ${back}; until then they reach nothing, and their editors are lost${records}`;
}
