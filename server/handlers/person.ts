import { changed, created, deleted } from '../audit/change.ts';
import { deleteWithPerson } from '../audit/fallout.ts';
import { showPerson } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { followFactors } from '../sign-in/factors.ts';
import {
  deletePerson,
  hasTwoFactor,
  insertPerson,
  peoplePages,
  updatePerson,
  updatePersonLock,
} from '../store/person.ts';
import { deleteSessionsOf } from '../store/person-session.ts';
import { deleteFactorsOf } from '../store/sign-in-factor.ts';
import { existingPerson } from './existing.ts';
import type { Context, Handlers, Nothing } from './handler.ts';

export const personHandlers = {
  createPerson: async ({ body }, { store, clock }) => {
    const person = { id: newId(), ...body, createdAt: clock().toISOString(), isLocked: false };
    return store.create(['person'], async (executor, record) => {
      await insertPerson(executor, person);
      record([created(showPerson(person))]);
      return person;
    });
  },

  listPeople: async (_request, { lists }) => lists.list('person', peoplePages),

  getPerson: async ({ params }, { store }) => store.read((executor) => existingPerson(executor, params.person)),

  // Lists of permissions, editors and snippets show the person's names.
  updatePerson: async ({ params, body }, { store }) =>
    store.write(['person', 'permission', 'editor', 'snippet'], async (executor, record) => {
      const current = await existingPerson(executor, params.person);
      const { name = current.name, username = current.username, email = current.email } = body;
      const person = { ...current, name, username, email };
      const changes = changed(showPerson(current), showPerson(person));
      if (changes.length > 0) await updatePerson(executor, person);
      record(changes);
      return person;
    }),

  lockPerson: async ({ params }, context) => setLock(context, params.person, true),

  unlockPerson: async ({ params }, context) => setLock(context, params.person, false),

  disableTwoFactor: async ({ params }, { store, seal }) => {
    await store.write([], async (executor, record) => {
      const person = await existingPerson(executor, params.person);
      const hadTwoFactor = await hasTwoFactor(executor, person.id);
      // Without the first change, the others follow from nothing.
      const along = hadTwoFactor ? ({ along: true } as const) : {};
      if (hadTwoFactor) {
        const { fields: _same, ...object } = showPerson(person);
        const [before, after] = [{ twoFactorEnabled: true }, { twoFactorEnabled: false }];
        record([{ ...object, action: 'changed', before, after }]);
      }
      for (const kind of ['totp', 'recovery_code', 'passkey'] as const) {
        const gone = await deleteFactorsOf(executor, { person: person.id, kind });
        const factor = { person: person.id, kind };
        record(gone.map(({ id }) => ({ kind: 'sign_in_factor', id, action: 'deleted', before: factor, ...along })));
      }
      await followFactors(executor, seal, person.id);
      // A person who has lost a device may have lost a session with it, also one who had no second factor.
      const ended = await deleteSessionsOf(executor, person.id);
      record(ended.map(({ id }) => ({ kind: 'session', id, action: 'deleted', ...along })));
    });
    return {};
  },

  deletePerson: async ({ params }, { store }) => {
    await store.write(['person', 'permission', 'editor', 'snippet'], async (executor, record) => {
      const person = await existingPerson(executor, params.person);
      if (!person.isLocked) {
        const detail = `the person ${params.person} is not locked; lock them before deleting`;
        throw new Refusal('person_not_locked', detail);
      }
      const fallen = await deleteWithPerson(executor, params.person);
      await deletePerson(executor, params.person);
      record([deleted(showPerson(person)), ...fallen]);
    });
    return {};
  },
} satisfies Partial<Handlers>;

async function setLock({ store }: Context, id: string, isLocked: boolean): Promise<Nothing> {
  await store.write(['person'], async (executor, record) => {
    const person = await existingPerson(executor, id);
    if (!(await updatePersonLock(executor, id, isLocked))) return;
    record(changed(showPerson({ ...person, isLocked: !isLocked }), showPerson({ ...person, isLocked })));
    // While the person is locked, none of their sessions counts. Those that were open before must not count again.
    const ended = isLocked ? [] : await deleteSessionsOf(executor, id);
    record(ended.map((session) => ({ kind: 'session', id: session.id, action: 'deleted', along: true })));
  });
  return {};
}
