import type { Person } from '@rolecall/api';
import { personKey } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../framework/resource.ts';
import { isSame, type ObjectValue, type Value } from '../values/value.ts';
import { isGone, problemOf } from '../workspace/failures.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopts, isManaged, isTakenOver, leave } from './adoption.ts';
import { isTainted, replacedBy } from './forced-replacement.ts';
import { hold, keep } from './holding.ts';
import { adoptPerson, held, identity, refuseDifferent } from './person-adoption.ts';
import { allowReplacement, forcePerson } from './person-replacement.ts';
import { personSchema } from './person-schema.ts';
import { refuseProtected } from './protection.ts';
import { isTrue, keepSpelling, needText, textOf } from './values.ts';

type Context = VerbContext<Workspace>;

/** Somebody who works in the workspace. People cannot be edited: only the lock changes in place. */
export const person: Resource<Workspace> = {
  type: 'rolecall_person',
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
    if (username !== undefined) hold(`person ${personKey(username)}`, held(username), request, context.workspace);
    return prior === null ? planCreate(request, context) : planChange(request, prior, context);
  },

  planDestroy: async ({ state }, { workspace }) => {
    const username = needText(state, 'username');
    refuseProtected(state, { what: 'person', name: username, fate: 'be deleted' });
    leave(needText(state, 'id'), `the person ${username}`, workspace);
    await workspace.removals.remove('people', username);
  },

  create: async ({ planned, private: { adopts: adopted } }, context) => {
    const { workspace, report } = context;
    if (adopted !== undefined) {
      const { byId } = await workspace.before.people();
      const existing = byId.get(adopted);
      if (existing !== undefined && !workspace.removed.has(adopted)) return takeOver(existing, planned, context);
    }
    const made = await createPerson(planned, context);
    if (workspace.adopted.has(made.id)) return takeOver(made, planned, context);
    if (!isTrue(planned, 'locked')) return applied(made, planned);
    try {
      await workspace.call('lockPerson', { params: { person: made.id } });
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      // The person exists: Terraform must know of them.
      report(error.diagnostic);
      return { ...applied(made, planned), private: { id: made.id, ...unfinished } };
    }
    return applied({ ...made, isLocked: true }, planned);
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
    await setLock(needText(prior, 'id'), isTrue(prior, 'locked'), isTrue(planned, 'locked'), workspace);
    return { state: planned };
  },

  remove: async ({ state }, { workspace, report }) => {
    const id = needText(state, 'id');
    // No plan asks for that; of a tainted person whose username changed too it does not see that it does.
    refuseProtected(state, { what: 'person', name: needText(state, 'username'), fate: 'be deleted' });
    if (isTakenOver(id, `the person ${needText(state, 'username')}`, workspace, report)) return;
    await removePerson(id, isTrue(state, 'locked'), workspace);
    workspace.removed.add(id);
  },

  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().people();
    const found = byId.get(id) ?? byKey.get(personKey(id))?.[0];
    return found === undefined ? { state: null } : applied(found, {});
  },
};

/** What is remembered of a person whose lock failed, also where they turn out to be locked: only its answer may have been lost. */
const unfinished = { unfinished: 'lock' } as const;

async function planCreate({ planned, private: before }: PlanRequest, context: Context): Promise<Planned> {
  const { workspace } = context;
  const username = textOf(planned, 'username');
  if (!workspace.isKnown) return { planned };
  const replaced = replacedBy(before, workspace);
  if (replaced !== undefined) await forcePerson(replaced, planned, context);
  if (username === undefined) return { planned };
  const { byKey } = await workspace.before.people();
  // The one that this resource itself is about to replace does not count.
  const [existing] = (byKey.get(personKey(username)) ?? []).filter(
    ({ id }) => id !== before['id'] && !workspace.removed.has(id),
  );
  if (existing === undefined) return { planned };
  const found = { ...held(existing.username), id: existing.id };
  if (isManaged('rolecall_person', found, context)) {
    if (isTainted('rolecall_person', existing.id, before, context)) await forcePerson(existing.id, planned, context);
    return { planned };
  }
  adoptPerson(existing, planned, context);
  refuseDifferent(existing, planned);
  return {
    planned: { ...planned, id: existing.id, created_at: existing.createdAt },
    private: adopts(existing.id),
  };
}

async function planChange(
  { planned, private: before }: PlanRequest,
  prior: ObjectValue,
  context: Context,
): Promise<Planned> {
  const next = { ...planned };
  for (const [name, fold] of Object.entries(identity)) {
    const found = textOf(prior, name);
    if (found !== undefined && fold(textOf(next, name) ?? '') === fold(found)) next[name] = found;
  }
  const changed = Object.keys(identity).filter((name) => !isSame('string', prior[name] ?? null, next[name] ?? null));
  const id = needText(prior, 'id');
  if (changed.length > 0) await allowReplacement(prior, next, changed, context);
  else keep(id, held(needText(prior, 'username')), context.workspace);
  const { unfinished: _done, ...remembered } = before;
  return { planned: next, private: { ...remembered, id } };
}

async function createPerson(planned: ObjectValue, context: Context): Promise<Person> {
  const { workspace } = context;
  const body = {
    username: needText(planned, 'username'),
    name: needText(planned, 'name'),
    email: needText(planned, 'email'),
  };
  try {
    const made = await workspace.call('createPerson', { body });
    workspace.made.add(made.id);
    return made;
  } catch (error) {
    const problem = problemOf(error)?.problem;
    if (problem === 'email_taken') throw emailTaken(body.email, error);
    if (problem !== 'username_taken') throw error;
    // Somebody made the person after the plan, or a run that was killed did.
    const existing = (await workspace.view().people()).byKey.get(personKey(body.username))?.[0];
    if (existing === undefined) throw error;
    adoptPerson(existing, planned, context);
    refuseDifferent(existing, planned);
    workspace.adopted.add(existing.id);
    return existing;
  }
}

function emailTaken(email: string, cause: unknown): DiagnosticError {
  return new DiagnosticError(
    failure(
      `The e-mail address ${email} is taken`,
      `Another person of the workspace has the address ${email}. Give one of the two another address, or delete the other person first.`,
      ['email'],
    ),
    { cause },
  );
}

async function setLock(person: string, isLocked: boolean, locked: boolean, workspace: Workspace): Promise<void> {
  if (isLocked !== locked) await workspace.call(locked ? 'lockPerson' : 'unlockPerson', { params: { person } });
}

/** Brings the lock of an adopted person to what is declared. A failure leaves nothing in the state: the next plan adopts again. */
async function takeOver(existing: Person, planned: ObjectValue, { workspace }: Context): Promise<Applied> {
  const locked = isTrue(planned, 'locked');
  await setLock(existing.id, existing.isLocked, locked, workspace);
  workspace.adopted.add(existing.id);
  return applied({ ...existing, isLocked: locked }, planned);
}

/** The service deletes only who is locked. Who is gone already is gone. */
async function removePerson(id: string, isLocked: boolean, workspace: Workspace): Promise<void> {
  const params = { person: id };
  try {
    if (!isLocked) await workspace.call('lockPerson', { params });
    await workspace.call('deletePerson', { params });
  } catch (error) {
    if (isGone(error)) return;
    if (!isLocked || problemOf(error)?.problem !== 'person_not_locked') throw error;
    // Unlocked since the state was written.
    await removePerson(id, false, workspace);
  }
}

function applied(found: Person, written: Readonly<Record<string, Value>>): Applied {
  return {
    state: {
      id: found.id,
      username: keepSpelling(written['username'], found.username, identity.username),
      name: keepSpelling(written['name'], found.name, identity.name),
      email: keepSpelling(written['email'], found.email, identity.email),
      locked: found.isLocked,
      protected: written['protected'] ?? null,
      replace_allowed: written['replace_allowed'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: found.createdAt,
    },
    private: { id: found.id },
  };
}
