import { idOf, isReference, type Note, type Reference, type Step, type StepValue, stepId } from '../model/step.ts';
import type { View } from '../view/view.ts';
import { countFallen, readFallen, restoreFallen } from './fallen.ts';
import type { Fallen } from './journal.ts';
import { journalSteps } from './journal-steps.ts';

interface Replaced {
  id: string;
  to: Reference;
  /** The username of the new person. */
  becomes: string;
  object: Step['object'];
}

/**
 * Deleting a person takes their memberships and permissions along. For each person who is replaced, this sends the
 * steps that mean the old person to the new one, and adds a step for every grant that falls and is not meant to end;
 * before it, one that writes all of these down in the workspace, and after it one that deletes that.
 */
export async function restoreGrants(steps: readonly Step[], view: View): Promise<{ steps: Step[]; notes: Note[] }> {
  let result = [...steps];
  const notes: Note[] = [];
  for (const replaced of findReplaced(steps)) {
    const [people, { journals }] = await Promise.all([view.people(), view.snippets()]);
    const username = people.byId.get(replaced.id)?.username ?? replaced.object.name;
    const all = await readFallen(replaced.id, view);
    const ended = endedAnyway(result, replaced, all);
    const fallen = notMeantToEnd(all, result, replaced, ended);
    const known = new Set(result.map(({ id }) => id));
    const whole = restoreFallen(fallen, { to: replaced.to, username, object: replaced.object, reason: again });
    const restored = whole.filter(({ id }) => !known.has(id));
    const journal = journalSteps(
      { person: { id: replaced.id, username }, becomes: replaced.becomes },
      fallen,
      replaced.object,
      journals.filter(({ content }) => content.person.id === replaced.id),
    );
    const first = journal.write.map(({ id }) => id);
    const redirected = result
      .filter(({ id }) => !ended.has(id))
      .map((step) => (isOfReplacement(step, replaced) ? waitFor(step, first) : redirect(step, replaced)));
    notes.push({ object: labelOf(replaced), message: replacementNote(countFallen(fallen)) });
    result = [
      ...journal.write,
      ...redirected,
      ...restored,
      ...journal.forget([createdBy(redirected, replaced), ...whole.map(({ id }) => id)]),
    ];
  }
  return { steps: result, notes };
}

const again = 'falls with the person who is replaced, and is made again';

const labelOf = ({ object }: Replaced): string => `${object.kind}/${object.name}`;

function findReplaced(steps: readonly Step[]): Replaced[] {
  return steps.flatMap((step) => {
    if (step.operation !== 'deletePerson' || step.effect !== 'replace') return [];
    const create = steps.find(
      ({ operation, object }) => operation === 'createPerson' && object.name === step.object.name,
    );
    const becomes = create?.body?.['username'];
    if (create?.makes === undefined || typeof becomes !== 'string') return [];
    return [{ id: idOf(step.params['person']), to: { ref: create.makes }, becomes, object: step.object }];
  });
}

function createdBy(steps: readonly Step[], { to }: Replaced): string {
  return steps.find(({ makes }) => makes === to.ref)?.id ?? '';
}

/** What a reviewer must know. */
function replacementNote(restored: number): string {
  const fall = `${restored} ${restored === 1 ? 'grant or snippet falls and is' : 'grants and snippets fall and are'} made again`;
  return `is deleted and created again: ${restored === 0 ? 'no grants fall' : fall}; for that time they reach nothing, and their editors are lost`;
}

function notMeantToEnd(
  { roles, permissions, snippets }: Fallen,
  steps: readonly Step[],
  replaced: Replaced,
  ended: ReadonlySet<string>,
): Fallen {
  return {
    roles: roles.filter(({ id }) => !removes(steps, id) && !leavesRole(steps, replaced, id)),
    permissions: permissions.filter(
      ({ id, dataSource }) => !ended.has(stepId('deletePermission', id)) && !removes(steps, dataSource.id),
    ),
    snippets: snippets.filter(({ id }) => !removes(steps, id) && !isGivenAway(steps, replaced, id)),
  };
}

function leavesRole(steps: readonly Step[], { id }: Replaced, role: string): boolean {
  return steps.some(
    ({ operation, params }) => operation === 'removeRolePerson' && params['person'] === id && params['role'] === role,
  );
}

/** Whether a snippet gets another owner, or none. One that only changes falls like any other. */
function isGivenAway(steps: readonly Step[], { id, to }: Replaced, snippet: string): boolean {
  const update = steps.find((step) => step.id === stepId('updateSnippet', snippet));
  if (update === undefined) return false;
  const owner = update.body?.['ownerPersonId'] ?? null;
  return owner !== id && !(isReference(owner) && owner.ref === to.ref);
}

/** Steps that take from the old person what falls with them anyway. */
function endedAnyway(steps: readonly Step[], { id }: Replaced, { permissions }: Fallen): Set<string> {
  const theirs = new Set(permissions.map((permission) => permission.id));
  const ended = steps.filter(
    ({ operation, params }) =>
      (operation === 'removeRolePerson' && params['person'] === id) ||
      (operation === 'deletePermission' && theirs.has(idOf(params['permission']))),
  );
  return new Set(ended.map((step) => step.id));
}

/** Whether a step deletes the role, data source or snippet with this id. */
export function removes(steps: readonly Step[], id: string): boolean {
  return steps.some(({ operation, params }) => {
    if (operation === 'deleteRole') return params['role'] === id;
    if (operation === 'deleteDataSource') return params['dataSource'] === id;
    return operation === 'deleteSnippet' && params['snippet'] === id;
  });
}

/** The steps of the replacement itself mean the old person. */
function isOfReplacement(step: Step, { id, object }: Replaced): boolean {
  return step.effect === 'replace' && step.object.name === object.name && step.params['person'] === id;
}

const waitFor = (step: Step, first: readonly string[]): Step => ({ ...step, after: [...first, ...step.after] });

function redirect(step: Step, { id, to }: Replaced): Step {
  const swap = <T extends StepValue>(value: T): T | Reference => (value === id ? to : value);
  const params = Object.fromEntries(Object.entries(step.params).map(([name, value]) => [name, swap(value)]));
  if (step.body === undefined) return { ...step, params };
  const body = Object.fromEntries(Object.entries(step.body).map(([name, value]) => [name, swap(value)]));
  return { ...step, params, body };
}
