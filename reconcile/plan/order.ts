import { idOf, referencesOf, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';
import { grantsToWaitFor, newSnippetsToWaitFor } from './make-before-break.ts';

/**
 * Gives every step the steps it waits for, and puts them in an order in which they could run one after another:
 * - who refers to an id waits for the step that makes it;
 * - a person who is to be locked is locked before being granted anything, and unlocked after what goes has gone;
 * - what is taken away waits for the grants that keep the access which both the old and the new state give;
 * - a snippet that is deleted waits for the new one of its name.
 *
 * @throws Error when the steps wait for each other in a circle, which is a defect of the engine
 */
export function orderSteps(steps: readonly Step[], view: View): Step[] {
  const makers = new Map(steps.flatMap((step) => (step.makes === undefined ? [] : [[step.makes, step.id] as const])));
  const locks = stepsByPerson(
    steps.filter(({ operation, effect }) => operation === 'lockPerson' && effect === 'change'),
  );
  const revokes = Map.groupBy(
    steps.flatMap((step) => peopleWhoLose(step, view).map((person) => ({ person, id: step.id }))),
    ({ person }) => person,
  );
  const grants = grantsToWaitFor(steps, view);
  const copies = newSnippetsToWaitFor(steps, view);
  const known = new Set(steps.map(({ id }) => id));
  const withWaits = steps.map((step) => {
    const after = new Set(step.after);
    for (const name of referencesOf(step)) {
      const maker = makers.get(name);
      if (maker !== undefined) after.add(maker);
    }
    const person = personOf(step);
    if (isGrant(step)) for (const id of locks.get(person) ?? []) after.add(id);
    if (step.operation === 'unlockPerson') for (const { id } of revokes.get(person) ?? []) after.add(id);
    for (const id of [...(grants.get(step.id) ?? []), ...(copies.get(step.id) ?? [])]) after.add(id);
    return { ...step, after: [...after].filter((id) => id !== step.id && known.has(id)) };
  });
  return sortTopologically(withWaits);
}

export function isGrant({ operation }: Step): boolean {
  return operation === 'addRolePerson' || operation === 'createPermission';
}

const personOf = (step: Step): string => idOf(step.params['person']);

/** The people whom a step takes access from, as far as they are known. */
function peopleWhoLose({ operation, params }: Step, view: View): string[] {
  if (operation === 'removeRolePerson') return [idOf(params['person'])];
  if (operation === 'removeRoleDataSource' || operation === 'deleteRole') {
    return [...(view.peek(`rolePeople ${idOf(params['role'])}`)?.byId.keys() ?? [])];
  }
  if (operation !== 'deletePermission') return [];
  // The call names only the permission.
  const permission = view.peek('permissions')?.byId.get(idOf(params['permission']));
  return permission === undefined ? [] : [permission.person.id];
}

function stepsByPerson(steps: readonly Step[]): Map<string, string[]> {
  const byPerson = Map.groupBy(steps, personOf);
  return new Map([...byPerson].map(([who, own]) => [who, own.map(({ id }) => id)]));
}

function sortTopologically(steps: readonly Step[]): Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const sorted: Step[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (step: Step): void => {
    if (state.get(step.id) === 'done') return;
    if (state.get(step.id) === 'open') throw new Error(`the steps around "${step.id}" wait for each other`);
    state.set(step.id, 'open');
    for (const id of step.after) {
      const before = byId.get(id);
      if (before !== undefined) visit(before);
    }
    state.set(step.id, 'done');
    sorted.push(step);
  };
  for (const step of steps) visit(step);
  return sorted;
}
