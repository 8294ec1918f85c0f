import { asciiEmail, type Person } from '@rolecall/api';
import {
  type DesiredPerson,
  type Diff,
  does,
  emailKey,
  personKey,
  personKind,
  removePerson,
} from '@rolecall/reconcile';
import { DiagnosticError } from '../../plugin/framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { isUnknown, type ObjectValue, type Value } from '../../plugin/values/value.ts';
import { problemOf } from '../../workspace/failures.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, hold, isOthers, isTaken } from '../shared/adoption.ts';
import { declared, describeChanges, refuse, toDelete } from '../shared/engine.ts';
import { force } from '../shared/forced-replacement.ts';
import { createOrAdopt, deletion, type NamedKind, planCreate, subjectOf, takePlanned } from '../shared/lifecycle.ts';
import { inTurn, nameOf, refuseTaken, takingNames } from '../shared/names.ts';
import { isTrue, needText, textOf } from '../shared/values.ts';
import { personSchema } from './schema.ts';

type Context = VerbContext<Workspace>;
const kind: NamedKind<Person> = {
  type: 'rolecall_person',
  noun: 'person',
  collection: 'people',
  attribute: 'username',
  key: personKey,
  problem: 'username_taken',
  list: (workspace, when) => (when === 'now' ? workspace.view() : workspace.before).people(),
  force: (id, { planned }, context) => forcePerson(id, planned, context),
  adopt: adoptPerson,
};

/** A person who works in the workspace. */
export const person: Resource<Workspace> = {
  type: kind.type,
  schema: personSchema,
  identity: ['id'],
  listing: {
    filters: ['locked'],
    list: async ({ workspace }) =>
      (await workspace.view().people()).all.map(({ id, username, isLocked }) => ({
        name: username,
        attributes: { id, locked: isLocked },
      })),
  },

  plan: async (request, context) => {
    const { prior, planned } = request;
    const username = textOf(planned, 'username');
    if (username !== undefined) await hold(subjectOf(kind, username, personKey(username)), request, context.workspace);
    await holdEmail(request, context);
    return prior === null ? planCreate(kind, request, context) : planChange(request, prior, context);
  },

  create: async ({ planned, config, private: { adopts: adopted } }, context) => {
    const { workspace } = context;
    const existing = await takePlanned(kind, adopted, workspace.before.people, workspace);
    if (existing !== undefined) return takeOver(existing, planned, workspace);
    const done = await createOrAdopt(kind, () => createPerson(planned, workspace), { planned, config }, context);
    return 'made' in done ? lockNew(done.made, planned, context) : takeOver(done.existing, planned, workspace);
  },

  read: async ({ state }, { workspace }) => {
    const person = (await workspace.view().people()).byId.get(needText(state, 'id'));
    return person === undefined ? { state: null } : applied(person, state);
  },

  update: async ({ prior, planned }, { workspace }) => {
    await change(planned, personOf(prior), workspace);
    return { state: planned };
  },

  ...deletion(kind, (state, workspace) => remove(personOf(state), workspace)),

  importedBy: 'its identifier or its username',
  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().people();
    const person = byId.get(id) ?? byKey.get(personKey(id))?.[0];
    return person === undefined ? { state: null } : applied(person, {});
  },
};

/**
 * Notes which e-mail address a person is to have. No two people share one.
 *
 * @throws DiagnosticError when another resource of the plan is to have it too, or someone has it whom this configuration does not
 *   manage
 */
async function holdEmail(request: PlanRequest, context: Context): Promise<void> {
  const { workspace } = context;
  const [username, email] = [textOf(request.planned, 'username'), textOf(request.planned, 'email')];
  if (email === undefined) return;
  const address = { type: kind.type, id: emailKey(email), what: email, path: ['email'] };
  await hold(address, request, workspace, 'addressed');
  if (!workspace.isKnown || username === undefined) return;
  const ownId = request.prior?.['id'] ?? request.private['id'];
  const holder = ((await workspace.before.people()).byEmail.get(emailKey(email)) ?? []).find(
    (person) => person.id !== ownId && personKey(person.username) !== personKey(username),
  );
  if (holder !== undefined && (await isOthers({ type: kind.type, id: holder.id }, context)))
    throw isTaken(`The e-mail address ${email}`, `person ${holder.username}`, 'email');
}

async function planChange(
  { planned, private: before }: PlanRequest,
  prior: ObjectValue,
  context: Context,
): Promise<Planned> {
  const { workspace } = context;
  const [id, username] = [needText(prior, 'id'), needText(prior, 'username')];
  const comparison = diff(planned, personOf(prior), await workspace.edits());
  const changed = editedIn(comparison);
  // A value that means the same keeps its spelling, so that it is no change to Terraform either.
  const same = ['username', 'name', 'email'].filter((name) => !changed.includes(name));
  const next = { ...planned, ...Object.fromEntries(same.map((name) => [name, prior[name] ?? null])) };
  await workspace.ledger.enter(subjectOf(kind, username, id), 'kept');
  refuse(comparison, `the person ${username}`, changed.slice(0, 1));
  await refuseTaken(kind, planned, id, context);
  if (isTrue(planned, 'locked') && !isTrue(prior, 'locked')) await workspace.removals.lock(username);
  return { planned: next, private: { ...before, id } };
}

async function forcePerson(id: string, planned: ObjectValue, context: Context): Promise<void> {
  const name = (await context.workspace.before.people()).byId.get(id)?.username;
  if (name === undefined) return;
  const fallout =
    'With that fall their memberships, permissions, editors, factors and sessions, and their snippets lose their owner.';
  await force(kind, { id, name, fallout: () => Promise.resolve(fallout) }, planned, context);
}

/** Takes a person over, or says why not. */
async function adoptPerson(existing: Person, { planned }: { planned: ObjectValue }, context: Context): Promise<void> {
  const { id, username, name, email } = existing;
  // An unknown value counts as unchanged.
  const knownValues = Object.fromEntries(Object.entries(planned).filter(([, value]) => !isUnknown(value)));
  const comparison = diff({ name, email, ...knownValues }, existing, await context.workspace.edits());
  const changes = describeChanges(comparison.steps);
  if (isTrue(planned, 'locked') && !existing.isLocked) await context.workspace.removals.lock(username);
  await adopt({ ...subjectOf(kind, username, id), importId: username, changes }, planned, context);
  refuse(comparison, `the person ${username}`, editedIn(comparison).slice(0, 1));
}

async function createPerson(planned: ObjectValue, workspace: Workspace): Promise<Person | undefined> {
  const create = diff(planned, undefined).steps.filter((step) => does(step, 'create', 'person'));
  const make = () => workspace.run(create);
  return (await takingNames({ make }, [addressOf(planned, workspace)], workspace)).createPerson;
}

/** Makes a person what is planned. Another resource may have to give up the username or the e-mail address before. */
async function change(planned: ObjectValue, current: Person, workspace: Workspace): Promise<void> {
  const { steps } = diff(planned, current);
  const free = async (field: string) => {
    if (!editedIn({ steps }).includes(field)) return false;
    const [freeing] = diff(planned, current, true, field === 'email' ? 'email' : 'username').steps;
    await workspace.run(freeing === undefined ? [] : [freeing]);
    return true;
  };
  const names = [nameOf(kind, planned, workspace), addressOf(planned, workspace)];
  await takingNames({ id: current.id, make: () => workspace.run(steps), free }, names, workspace);
}

/** The e-mail address that a person is to have. */
function addressOf(planned: ObjectValue, workspace: Workspace) {
  const email = needText(planned, 'email');
  return {
    field: 'email',
    problem: 'email_taken',
    what: `The e-mail address ${email}`,
    holder: async () => {
      const holder = (await workspace.view().people()).byEmail.get(emailKey(email))?.[0];
      return holder && { id: holder.id, called: `person ${holder.username}` };
    },
  };
}

/** Locks a new person, where that is declared. If it fails the person exists all the same: Terraform must know of them. */
async function lockNew(made: Person, planned: ObjectValue, { workspace, report }: Context): Promise<Applied> {
  try {
    return await takeOver(made, planned, workspace);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    report(error.diagnostic);
    return applied(made, planned);
  }
}

/** Makes a person match the definition. A failure leaves nothing in the state: the next plan adopts again. */
async function takeOver(existing: Person, planned: ObjectValue, workspace: Workspace): Promise<Applied> {
  await change(planned, existing, workspace);
  const { fullName, email, locked } = desiredOf(planned);
  return applied({ ...existing, name: fullName, email, isLocked: locked }, planned);
}

async function remove(person: Person, workspace: Workspace): Promise<void> {
  const object = { kind: 'Person', name: person.username };
  try {
    await workspace.run(removePerson(person, object, toDelete));
  } catch (error) {
    if (!person.isLocked || problemOf(error)?.problem !== 'person_not_locked') throw error;
    // Unlocked since the state was written.
    await remove({ ...person, isLocked: false }, workspace);
  }
}

/** The engine's comparison of what is planned with the person that is there, if any. */
function diff(planned: ObjectValue, person: Person | undefined, isEditable = true, freed?: 'username' | 'email'): Diff {
  const names = inTurn(['username', 'email'] as const, freed);
  return personKind.diff(desiredOf(planned), { person, ambiguous: undefined, names, isEditable, claims: [] });
}

/** The attributes of a person that are edited. */
function editedIn({ steps }: Pick<Diff, 'steps'>): string[] {
  const edit = steps.find((step) => does(step, 'edit', 'person'));
  return (edit?.changes ?? []).map(({ field }) => field);
}

function desiredOf(planned: ObjectValue): DesiredPerson {
  // A value that is not known yet is no value that is there.
  const read = (name: string): string => textOf(planned, name) ?? '(known after the apply)';
  return {
    ...declared,
    kind: 'Person',
    name: read('username'),
    username: read('username'),
    fullName: read('name'),
    email: asciiEmail(read('email')),
    locked: isTrue(planned, 'locked'),
  };
}

function personOf(state: ObjectValue): Person {
  return {
    id: needText(state, 'id'),
    username: needText(state, 'username'),
    name: needText(state, 'name'),
    email: needText(state, 'email'),
    isLocked: isTrue(state, 'locked'),
    createdAt: needText(state, 'created_at'),
  };
}

/** The state of a person, spelled as it is written where that means the same. */
function applied(person: Person, written: ObjectValue): Applied {
  const changed = editedIn(diff({ ...person, ...written }, person));
  const spelled = (name: 'username' | 'name' | 'email'): Value =>
    changed.includes(name) ? person[name] : (textOf(written, name) ?? person[name]);
  return {
    state: {
      id: person.id,
      username: spelled('username'),
      name: spelled('name'),
      email: spelled('email'),
      locked: person.isLocked,
      protected: written['protected'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: person.createdAt,
    },
    private: { id: person.id },
  };
}
