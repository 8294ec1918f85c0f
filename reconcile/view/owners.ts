import { isNotOffered, type Managed } from '@rolecall/api';
import { collectionWords, type ExactCollection, type Rails } from '@rolecall/crds';
import { label } from '../model/desired.ts';
import { idOf, type Judged, listUpTo, type Note, type Refusal, type Step } from '../model/step.ts';
import { subjectTable } from '../operations/subjects.ts';
import { actOf, isOfMembership, subjectId, subjectOf } from '../operations/table.ts';
import type { Caller, View } from './view.ts';

/** The fit between the definitions of a run and what the service remembers of their set. */
export type Fit =
  /** All of the set: what it does not declare any more goes. The origin is absent where it is remembered as it is. */
  | { readonly is: 'whole'; readonly origin?: string }
  /** A part of it: nothing goes, unless the override of the refusal says that it is all by now, from the origin `whole`. */
  | { readonly is: 'part'; readonly origin?: string; readonly whole: string; readonly refusal: Refusal }
  /** Definitions from elsewhere: other ones may have been meant by the name of the set. The origin is theirs, should they be meant. */
  | { readonly is: 'elsewhere'; readonly origin: string; readonly refusal: Refusal };

/** A set of definitions of which the service is to remember what each has. */
export interface DeclaredSet {
  /** @param remembered where the definitions of the runs before came from; undefined before the first run */
  readonly fit: (remembered: string | undefined) => Fit;
  /** True if the plan is only looked at: definitions from elsewhere, such as a branch under review, are no fault then. */
  readonly isPreview: boolean;
}

/** The manager that runs a plan, and access to who wrote what is there. */
export interface Manager {
  /** As each write names it: `rolecall/acme`. */
  readonly name: string;
  /** Collections that it is known to have run exactly, whatever the service tells. */
  readonly ranExactly?: readonly ExactCollection[] | undefined;
  /** Lists what managers wrote; undefined if the service does not tell. Called only if something there would change. */
  readonly list: () => Promise<readonly Managed[] | undefined>;
  /** Absent where the front end remembers by itself what it made. */
  readonly set?: DeclaredSet;
}

/** A manager whose records are read from the service, once a plan. */
export function managerOf(name: string, client: Caller): Manager {
  return {
    name,
    list: async () => {
      try {
        return await client.call('listManaged', {});
      } catch (error) {
        // A key that is limited to data sources may not see what others manage.
        if (isNotOffered(error)) return undefined;
        throw error;
      }
    },
  };
}

/** True if a step changes or removes what is there. */
const touchesExisting = (step: Step): boolean => actOf(step) !== 'create';

/** True if a step writes to a list that the plan holds to exactly what is declared. */
export function isExactly(step: Step, exact: readonly ExactCollection[]): boolean {
  return (
    (isOfMembership(step) && step.object.kind === 'Role') || exact.includes(subjectTable[subjectOf(step)].collection)
  );
}

/** A step that changes or removes what is there, and who wrote that last. */
interface Owned {
  step: Step;
  owner: Managed | undefined;
}

/**
 * Holds the first run that would remove what its manager did not make, in a collection or a role's list that it has not run
 * exactly before, until that is asked for by name; and tells of what another manager wrote. Asks the service only where that could
 * matter: where something would be removed or, for a plan with a reader, changed.
 *
 * @param isRead whether the plan's notes are shown
 */
export async function checkOwners(
  steps: readonly Step[],
  manager: Manager,
  { rails, isRead }: { rails: Rails; isRead: boolean },
  view: View,
): Promise<{ judged: Judged[]; notes: Note[] }> {
  const touched = steps.filter(touchesExisting);
  const isNeeded = isRead ? touched.length > 0 : rails.allowFirstRemoval !== true && touched.some(isUndeclared);
  if (!isNeeded) return { judged: [], notes: [] };
  const managed = await manager.list();
  const byKey = new Map(managed?.map((object) => [`${object.kind} ${object.id}`, object]));
  const owned = findOwners(touched, byKey);
  const others = owned.filter(({ owner }) => owner?.manager !== manager.name);
  const notes = noteOthers(others);
  if (rails.allowFirstRemoval === true) return { judged: [], notes };
  const { ranExactly = [] } = manager;
  const hasRun = ({ step }: Owned): boolean =>
    // Where roles are not exact, a role may be declared for the first time, with members whom others put in.
    ranExactly.includes(isOfMembership(step) ? 'roles' : collectionOf(step)) ||
    byKey.get(listKey(step))?.manager === manager.name;
  // A deleted definition says what is to go. Another set of the command line that declares it would be known to (`isShared`).
  const isOwn = ({ step, owner }: Owned): boolean =>
    step.object.deleted === true && (owner === undefined || isOfCommandLine(owner.manager));
  const taken = others.filter((ownedStep) => isUndeclared(ownedStep.step) && !isOwn(ownedStep) && !hasRun(ownedStep));
  return { judged: await refuse(taken, manager.name, managed !== undefined, view), notes };
}

/**
 * Finds which other manager last wrote what steps change or remove. Asks the service where there is any such step.
 *
 * @returns by the label of the object that a step serves
 */
export async function otherManagers(steps: readonly Step[], manager: Manager): Promise<Map<string, Managed>> {
  const touched = steps.filter(touchesExisting);
  if (touched.length === 0) return new Map();
  const managed = await manager.list();
  const byKey = new Map(managed?.map((object) => [`${object.kind} ${object.id}`, object]));
  const others = findOwners(touched, byKey).flatMap(({ step, owner }) =>
    owner === undefined || owner.manager === manager.name ? [] : [[label(step.object), owner] as const],
  );
  return new Map(others);
}

function findOwners(steps: readonly Step[], byKey: ReadonlyMap<string, Managed>): Owned[] {
  return steps.map((step) => ({ step, owner: byKey.get(`${subjectOf(step)} ${subjectId(step)}`) }));
}

/** True if the name is one that the command line gives itself: `rolecall/acme`. */
const isOfCommandLine = (name: string): boolean => /^rolecall(\/|$)/.test(name);

/** True if a step removes what no definition declares, from a collection or from the list of a role. */
function isUndeclared(step: Step): boolean {
  const { effect, object } = step;
  if (effect !== 'remove' && effect !== 'revoke') return false;
  return object.undeclared === true || isOfMembership(step);
}

const collectionOf = (step: Step): ExactCollection => subjectTable[subjectOf(step)].collection;

const listKey = (step: Step): string =>
  `exact ${subjectOf(step)} ${isOfMembership(step) ? idOf(step.params.role) : ''}`;

async function refuse(taken: readonly Owned[], name: string, isKept: boolean, view: View): Promise<Judged[]> {
  const roles = taken.some(({ step }) => isOfMembership(step)) ? (await view.roles()).byId : new Map<string, never>();
  const lists = Map.groupBy(taken, ({ step }) => {
    if (!isOfMembership(step)) return collectionOf(step);
    const role = idOf(step.params.role);
    return `${roles.get(role)?.name ?? role}/${subjectOf(step) === 'role_person' ? 'people' : 'dataSources'}`;
  });
  return [...lists].map(([token, all]) => {
    const summaries = new Set(all.map(({ step, owner }) => `${step.summary}${owner ? ` (of ${owner.manager})` : ''}`));
    const first = all[0];
    const words =
      first === undefined || isOfMembership(first.step)
        ? `the role list ${token}`
        : collectionWords[collectionOf(first.step)];
    const unknown = isKept ? '' : '; the service does not tell this key who made what';
    const refusal: Refusal = {
      rail: 'first-removal',
      objects: [...new Set(all.map(({ step }) => (isOfMembership(step) ? label(step.object) : step.object.name)))],
      message: `${name} would for the first time remove from ${words} what it did not make${unknown}: ${listUpTo(10, [...summaries])}`,
      remedy:
        'declare what is to stay (rolecall export writes it down); if the removal is meant, override this once, or set spec.rails.allowFirstRemoval of the Workspace',
      override: `first-removal:${token}`,
    };
    return { refusal, holds: all.map(({ step }) => step.id) };
  });
}

/** The most objects that are named of each other manager. */
const mostNamed = 10;

function noteOthers(owned: readonly Owned[]): Note[] {
  const byManager = Map.groupBy(
    owned.filter(({ owner }) => owner !== undefined),
    ({ owner }) => owner?.manager,
  );
  return [...byManager.values()].flatMap((all) => {
    const notes = new Map(
      all.map(({ step, owner }) => [
        label(step.object),
        {
          object: label(step.object),
          message: `is also managed by ${owner?.manager}, which last wrote it at ${owner?.at}: ${step.summary}`,
        },
      ]),
    );
    const rest = notes.size - mostNamed;
    const more = { object: `and ${rest} more`, message: `are also managed by ${all[0]?.owner?.manager}` };
    return [...[...notes.values()].slice(0, mostNamed), ...(rest > 0 ? [more] : [])];
  });
}
