import { asciiEmail, type Person } from '@rolecall/api';
import { type DesiredPerson, type Diff, emailKey, personKey, personKind, removePerson } from '@rolecall/reconcile';
import { DiagnosticError, refusal, warning } from '../../plugin/framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { isUnknown, type ObjectValue, type Value } from '../../plugin/values/value.ts';
import { problemOf } from '../../workspace/failures.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, hold, isOthers, isTaken, keep } from '../shared/adoption.ts';
import { declared, describeChanges, refuse, toDelete } from '../shared/engine.ts';
import { createOrAdopt, deletion, findAdopted, held, type NamedKind, planCreate } from '../shared/lifecycle.ts';
import { isTrue, needText, textOf } from '../shared/values.ts';
import { describeFallout, forcePerson } from './replacement.ts';
import { personSchema } from './schema.ts';

type Context = VerbContext<Workspace>;
const kind: NamedKind<Person> = {
  type: 'rolecall_person',
  noun: 'person',
  collection: 'people',
  attribute: 'username',
  key: personKey,
  list: (workspace, when) => (when === 'now' ? workspace.view() : workspace.before).people(),
  force: (id, { planned }, context) => forcePerson(kind, id, planned, context),
  adopt: adoptPerson,
};

/** A person who works in the workspace. People cannot be edited: only the lock changes in place. */
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
    if (username !== undefined) hold(`person ${personKey(username)}`, held(kind, username), request, context.workspace);
    await holdEmail(request, context);
    return prior === null ? planCreate(kind, request, context) : planChange(request, prior, context);
  },

  create: async ({ planned, config, private: { adopts: adopted } }, context) => {
    const { workspace } = context;
    const existing = await findAdopted(adopted, workspace.before.people, workspace);
    if (existing !== undefined) return takeOver(existing, planned, workspace);
    const done = await createOrAdopt(kind, () => createPerson(planned, workspace), { planned, config }, context);
    return 'made' in done ? lockNew(done.made, planned, context) : takeOver(done.existing, planned, workspace);
  },

  read: async ({ state, private: before }, { workspace }) => {
    const { byId } = await workspace.view().people();
    const found = byId.get(needText(state, 'id'));
    if (found === undefined) return { state: null };
    const read = applied(found, state);
    if (before['unfinished'] === undefined) return read;
    workspace.unfinished.add(found.id);
    return { ...read, private: { ...read.private, ...unfinished } };
  },

  update: async ({ prior, planned }, { workspace }) => {
    await workspace.run(diff(planned, personOf(prior)).steps);
    return { state: planned };
  },

  ...deletion(kind, (state, workspace) => remove(personOf(state), workspace)),

  importedBy: 'its identifier or its username',
  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().people();
    const found = byId.get(id) ?? byKey.get(personKey(id))?.[0];
    return found === undefined ? { state: null } : applied(found, {});
  },
};

/** What is remembered of a person whose lock failed, even where they turn out to be locked: only the answer may have been lost. */
const unfinished = { unfinished: 'lock' } as const;

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
  hold(`email ${emailKey(email)}`, held(kind, username ?? ''), request, workspace, () => twoEmails(email));
  if (!workspace.isKnown || username === undefined) return;
  const own = request.prior?.['id'] ?? request.private['id'];
  const holder = ((await workspace.before.people()).byEmail.get(emailKey(email)) ?? []).find(
    (each) => each.id !== own && personKey(each.username) !== personKey(username),
  );
  if (holder !== undefined && (await isOthers(kind.type, holder.id, context)))
    throw isTaken(`The e-mail address ${email}`, `person ${holder.username}`, 'email');
}

function twoEmails(email: string): DiagnosticError {
  return refusal(
    `Two people with the e-mail address ${email}`,
    `Another resource of this configuration gives a person the address ${email} too. Give one of the two another address.`,
    ['email'],
  );
}

async function planChange(
  { planned, private: before }: PlanRequest,
  prior: ObjectValue,
  context: Context,
): Promise<Planned> {
  const { workspace, report } = context;
  const [id, username] = [needText(prior, 'id'), needText(prior, 'username')];
  const isProtected = isTrue(prior, 'protected') || isTrue(planned, 'protected');
  const change = diff({ ...planned, protected: isProtected }, personOf(prior));
  const changed = identityChanges(change);
  const { unfinished: _done, ...remembered } = before;
  // A value that means the same keeps its spelling, so that it is no change to Terraform either.
  const same = ['username', 'name', 'email'].filter((name) => !changed.includes(name));
  const next = { ...planned, ...Object.fromEntries(same.map((name) => [name, prior[name] ?? null])) };
  const result = { planned: next, private: { ...remembered, id } };
  const [first] = changed;
  if (isTrue(planned, 'locked') && !isTrue(prior, 'locked')) await workspace.removals.lock(username);
  if (first === undefined) {
    keep(id, held(kind, username), workspace);
    return result;
  }
  refuse(change, `the person ${username}`, [first]);
  workspace.replaced.add(id);
  report(
    warning(
      `Replaces the person ${username}`,
      `People cannot be edited, so ${username} is deleted and created again. ${await describeFallout(id, workspace)} What this configuration declares is made again; the rest is lost.`,
      [first],
    ),
  );
  return result;
}

/** Takes a person over, or says why not: a person with another name or address cannot become the declared one. */
async function adoptPerson(existing: Person, { planned }: { planned: ObjectValue }, context: Context): Promise<void> {
  const { id, username, name, email } = existing;
  // What is not known yet changes nothing, as far as the plan can tell.
  const known = Object.fromEntries(Object.entries(planned).filter(([, value]) => !isUnknown(value)));
  const change = diff({ name, email, ...known }, existing);
  const [changed] = identityChanges(change);
  const changes = changed === undefined ? describeChanges(change.steps) : [];
  if (isTrue(planned, 'locked') && !existing.isLocked) await context.workspace.removals.lock(username);
  await adopt({ type: kind.type, ...held(kind, username), id, importId: username, changes }, planned, context);
  if (changed === undefined) return;
  const found = changed === 'name' ? name : email;
  throw refusal(
    `The person ${username} is another one`,
    `The workspace has ${username} already (id ${id}), with the ${changed} ${found} where the configuration says ${textOf(planned, changed) ?? ''}; people cannot be edited. Write ${found}, choose another username, or delete that person first. If another resource gives the username up, apply that first.`,
    [changed],
  );
}

async function createPerson(planned: ObjectValue, workspace: Workspace): Promise<Person | undefined> {
  const create = diff(planned, undefined).steps.filter(({ operation }) => operation === 'createPerson');
  try {
    return (await workspace.run(create)).createPerson;
  } catch (error) {
    if (problemOf(error)?.problem !== 'email_taken') throw error;
    const email = needText(planned, 'email');
    const [holder] = (await workspace.view().people()).byEmail.get(emailKey(email)) ?? [];
    throw isTaken(`The e-mail address ${email}`, `person ${holder?.username ?? ''}`, 'email', error);
  }
}

/** Locks a new person, where that is declared. If it fails the person exists all the same: Terraform must know of them. */
async function lockNew(made: Person, planned: ObjectValue, { workspace, report }: Context): Promise<Applied> {
  try {
    return await takeOver(made, planned, workspace);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    report(error.diagnostic);
    return { ...applied(made, planned), private: { id: made.id, ...unfinished } };
  }
}

/** Makes the lock of a person match the definition. A failure leaves nothing in the state: the next plan adopts again. */
async function takeOver(existing: Person, planned: ObjectValue, workspace: Workspace): Promise<Applied> {
  if (!workspace.made.has(existing.id)) workspace.adopted.add(existing.id);
  await workspace.run(diff(planned, existing).steps);
  return applied({ ...existing, isLocked: isTrue(planned, 'locked') }, planned);
}

async function remove(found: Person, workspace: Workspace): Promise<void> {
  const object = { kind: 'Person', name: found.username };
  try {
    await workspace.run(removePerson(found, object, 'remove', toDelete));
  } catch (error) {
    if (!found.isLocked || problemOf(error)?.problem !== 'person_not_locked') throw error;
    // Unlocked since the state was written.
    await remove({ ...found, isLocked: false }, workspace);
  }
}

/** The engine's comparison of what is planned with the person that is there, if any. */
function diff(planned: ObjectValue, found: Person | undefined): Diff {
  const others = { emailHolder: undefined, emailFreed: false, nameHolder: undefined, nameFreed: false };
  return personKind.diff(desiredOf(planned), { person: found, ambiguous: undefined, ...others, claims: [] });
}

/** The attributes for which a person would be replaced. */
function identityChanges({ steps }: Diff): string[] {
  const create = steps.find(({ operation }) => operation === 'createPerson');
  return (create?.changes ?? []).map(({ field }) => field);
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
    replaceAllowed: isTrue(planned, 'replace_allowed'),
    protected: isTrue(planned, 'protected'),
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
function applied(found: Person, written: ObjectValue): Applied {
  const changed = identityChanges(diff({ ...found, ...written }, found));
  const spelled = (name: 'username' | 'name' | 'email'): Value =>
    changed.includes(name) ? found[name] : (textOf(written, name) ?? found[name]);
  return {
    state: {
      id: found.id,
      username: spelled('username'),
      name: spelled('name'),
      email: spelled('email'),
      locked: found.isLocked,
      protected: written['protected'] ?? null,
      replace_allowed: written['replace_allowed'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: found.createdAt,
    },
    private: { id: found.id },
  };
}
