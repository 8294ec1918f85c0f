import { permissionKind } from '../kinds/permission.ts';
import {
  type DesiredObject,
  type DesiredPermission,
  type DesiredPerson,
  type DesiredState,
  label,
} from '../model/desired.ts';
import { dataSourceKey, pairKey, personKey, roleKey } from '../model/keys.ts';
import { type Note, type Reference, type Refusal, type Step, stepId } from '../model/step.ts';
import type { View } from '../view/view.ts';
import { restoreFallen } from './fallen.ts';
import type { Fallen, Journal } from './journal.ts';
import { forgetJournal } from './journal-steps.ts';
import { isOurs } from './own-journals.ts';
import { removes } from './restore.ts';

export interface Resumed {
  steps: Step[];
  refusals: Refusal[];
  notes: Note[];
}

/**
 * Finishes the replacements that an earlier run began and did not end, from the journals that it left: what is not there
 * again and is still meant is made again, and then the journal is deleted. A run that declares people reads the snippets
 * for it, one LIST: once the new person is there, nothing else tells that something fell.
 *
 * @param steps the plan so far, in which a person may be replaced (again); those journals are its own business
 */
export async function resumeReplacements(plan: Resumed, state: DesiredState, view: View): Promise<Resumed> {
  const people = state.objects.filter((object) => object.kind === 'Person');
  if (people.length === 0 && !state.exact.includes('people')) return plan;
  const { journals } = await view.snippets();
  let result = plan;
  for (const journal of journals) result = await resume(journal, people, result, state, view);
  return result;
}

async function resume(
  journal: Journal,
  people: readonly DesiredPerson[],
  plan: Resumed,
  state: DesiredState,
  view: View,
): Promise<Resumed> {
  const { person, becomes } = journal.content;
  const noted = (message: string): Resumed => ({
    ...plan,
    notes: [...plan.notes, { object: `Person/${becomes}`, message }],
  });
  if (!(await isOurs(journal, view))) {
    return noted(
      `is named in the snippet ${journal.snippet.id} as if it were Rolecall's, but a person made it: it is left alone`,
    );
  }
  const desired = people.find(({ username }) => personKey(username) === personKey(becomes));
  const object = { kind: 'Person', name: desired?.name ?? becomes };
  const forget = (after: readonly string[], reason?: string): Step => ({
    ...forgetJournal(journal, object, after),
    ...(reason === undefined ? {} : { reason }),
  });
  if (desired === undefined) {
    if (!state.exact.includes('people'))
      return noted('was being replaced when a run was interrupted, and waits for a run that declares them');
    return { ...plan, steps: [...plan.steps, forget([], 'nobody declares the person any more')] };
  }
  if (desired.paused || desired.observeOnly)
    return noted('was being replaced when a run was interrupted, and is held back');
  const { byId, byKey } = await view.people();
  if (byId.has(person.id)) {
    const isReplaced = plan.steps.some(({ id }) => id === stepId('deletePerson', person.id));
    if (isReplaced) return plan;
    return { ...plan, steps: [...plan.steps, forget([], 'nothing fell: the person is still there')] };
  }
  const to = byKey.get(personKey(becomes))?.[0]?.id ?? createdIn(plan.steps, desired);
  if (to === undefined) return plan;
  return finish(plan, journal, { to, desired, state, view, forget });
}

function createdIn(steps: readonly Step[], desired: DesiredPerson): Reference | undefined {
  const create = steps.find(({ operation, object }) => operation === 'createPerson' && object.name === desired.name);
  return create?.makes === undefined ? undefined : { ref: create.makes };
}

interface Finishing {
  to: string | Reference;
  desired: DesiredPerson;
  state: DesiredState;
  view: View;
  forget: (after: readonly string[]) => Step;
}

async function finish(plan: Resumed, { content }: Journal, finishing: Finishing): Promise<Resumed> {
  const { to, desired, state, forget } = finishing;
  const replacements = content.permissions.flatMap((permission) => declaredAs(permission, desired, state.objects));
  const superseded = new Set(replacements.map((one) => stepId('createPermission', permissionKind.key(one))));
  const kept = plan.steps.filter(({ id }) => !superseded.has(id));
  const fallen = await stillFallen(content, kept, finishing);
  const reason = `fell when ${desired.username} was replaced, and the run was interrupted`;
  const known = new Set(kept.map(({ id }) => id));
  const restored = restoreFallen(fallen, {
    to,
    username: desired.username,
    object: { kind: desired.kind, name: desired.name },
    reason,
  });
  const added = restored.filter(({ id }) => !known.has(id));
  const labels = new Set(replacements.map(label));
  return {
    steps: [...kept, ...added, forget(restored.map(({ id }) => id))],
    // What is over and was granted once is made again for the record, so that its definition stays as quiet as it was.
    refusals: plan.refusals.filter(
      ({ rail, objects }) => rail !== 'window-past' || !objects.some((object) => labels.has(object)),
    ),
    notes: plan.notes,
  };
}

/** What a journal lists and is neither there again nor meant to end, by what is declared now. */
async function stillFallen(
  { roles, permissions, snippets }: Fallen,
  steps: readonly Step[],
  { to, desired, state, view }: Finishing,
): Promise<Fallen> {
  const [allRoles, dataSources, present, allSnippets, joined] = await Promise.all([
    view.roles(),
    view.dataSources(),
    view.permissions(),
    view.snippets(),
    typeof to === 'string' ? view.personRoles(to) : [],
  ]);
  const exactRoles = rolesWithExactPeople(state);
  const inRoles = new Set(joined.map(({ id }) => id));
  return {
    roles: roles.filter(({ id }) => {
      const role = allRoles.byId.get(id);
      // The definitions say who is in such a role: who is declared there is added by their own steps.
      return role !== undefined && !inRoles.has(id) && !removes(steps, id) && !exactRoles.has(roleKey(role.name));
    }),
    permissions: permissions.filter((permission) => {
      const { dataSource, startsAt, expiresAt } = permission;
      if (!dataSources.byId.has(dataSource.id) || removes(steps, dataSource.id)) return false;
      const ofPair = typeof to === 'string' ? (present.byKey.get(pairKey(to, dataSource.id)) ?? []) : [];
      if (ofPair.some((one) => one.startsAt === startsAt && one.expiresAt === expiresAt)) return false;
      return !state.exact.includes('permissions') || declaredAs(permission, desired, state.objects).length > 0;
    }),
    snippets: snippets.filter(({ id }) => {
      const snippet = allSnippets.byId.get(id);
      if (snippet === undefined || snippet.ownerPerson !== null || snippet.ownerRole !== null) return false;
      return !removes(steps, id);
    }),
  };
}

function rolesWithExactPeople({ objects, exact }: DesiredState): Set<string> {
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

/** The definitions that mean a permission which fell: of the same pair, with the same end and no other start. */
function declaredAs(
  { dataSource, startsAt, expiresAt }: Fallen['permissions'][number],
  { username }: DesiredPerson,
  objects: readonly DesiredObject[],
): DesiredPermission[] {
  return objects.filter(
    (object): object is DesiredPermission =>
      object.kind === 'Permission' &&
      personKey(object.person) === personKey(username) &&
      dataSourceKey(object.dataSource) === dataSourceKey(dataSource.name) &&
      object.expiresAt === expiresAt &&
      (object.startsAt === undefined || object.startsAt === startsAt),
  );
}
