import { along, changed, created, deleted } from '../audit/change.ts';
import { fallenWithPerson } from '../audit/fallout.ts';
import { showPerson } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { notFound, Refusal } from '../refusal.ts';
import {
  deleteLockedPerson,
  findPerson,
  insertPerson,
  peoplePages,
  updatePersonLock,
  updateTwoFactorDisabled,
} from '../store/person.ts';
import type { Executor } from '../store/store.ts';
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

  getPerson: async ({ params }, { store }) => {
    const person = await store.read((executor) => findPerson(executor, params.person));
    if (person === undefined) throw notFound('person', params.person);
    return person;
  },

  lockPerson: async ({ params }, context) => setLock(context, params.person, true),

  unlockPerson: async ({ params }, context) => setLock(context, params.person, false),

  disableTwoFactor: async ({ params }, { store }) => {
    await store.write([], async (executor, record) => {
      const person = await findPerson(executor, params.person);
      if (person === undefined) throw notFound('person', params.person);
      if (!(await updateTwoFactorDisabled(executor, params.person))) return;
      const { fields: _same, ...object } = showPerson(person);
      const [before, after] = [{ twoFactorEnabled: true }, { twoFactorEnabled: false }];
      record([{ ...object, action: 'changed', before, after }]);
    });
    return {};
  },

  deletePerson: async ({ params }, { store }) => {
    await store.write(['person', 'permission', 'editor', 'snippet'], async (executor, record) => {
      const person = await findPerson(executor, params.person);
      if (person === undefined) throw notFound('person', params.person);
      const fallen = await fallenWithPerson(executor, params.person);
      if (!(await deleteLockedPerson(executor, params.person))) throw await notDeleted(executor, params.person);
      record([deleted(showPerson(person)), ...along(fallen)]);
    });
    return {};
  },
} satisfies Partial<Handlers>;

async function notDeleted(executor: Executor, id: string): Promise<Refusal> {
  if ((await findPerson(executor, id)) === undefined) return notFound('person', id);
  return new Refusal('person_not_locked', `the person ${id} is not locked; lock them before deleting`);
}

async function setLock({ store }: Context, id: string, isLocked: boolean): Promise<Nothing> {
  await store.write(['person'], async (executor, record) => {
    const person = await findPerson(executor, id);
    if (person === undefined) throw notFound('person', id);
    if (await updatePersonLock(executor, id, isLocked)) {
      record(changed(showPerson({ ...person, isLocked: !isLocked }), showPerson({ ...person, isLocked })));
    }
  });
  return {};
}
