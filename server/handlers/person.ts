import { newId } from '../ids.ts';
import { notFound, Refusal } from '../refusal.ts';
import {
  deleteLockedPerson,
  findPerson,
  insertPerson,
  selectPeople,
  updatePersonLock,
  updateTwoFactorDisabled,
} from '../store/person.ts';
import type { Context, Handlers, Nothing } from './handler.ts';

export const personHandlers = {
  createPerson: async ({ body }, { store, clock }) => {
    const person = { id: newId(), ...body, createdAt: clock().toISOString(), isLocked: false };
    await store.write(['person'], (executor) => insertPerson(executor, person));
    return person;
  },

  listPeople: async (_request, { lists }) => lists.list('person', selectPeople),

  getPerson: async ({ params }, { store }) => {
    const person = await store.read((executor) => findPerson(executor, params.person));
    if (person === undefined) throw notFound('person', params.person);
    return person;
  },

  lockPerson: async ({ params }, context) => setLock(context, params.person, true),

  unlockPerson: async ({ params }, context) => setLock(context, params.person, false),

  disableTwoFactor: async ({ params }, { store }) => {
    const found = await store.write([], (executor) => updateTwoFactorDisabled(executor, params.person));
    if (!found) throw notFound('person', params.person);
    return {};
  },

  deletePerson: async ({ params }, { store }) => {
    await store.write(['person', 'permission', 'editor', 'snippet'], async (executor) => {
      if (await deleteLockedPerson(executor, params.person)) return;
      if ((await findPerson(executor, params.person)) === undefined) throw notFound('person', params.person);
      throw new Refusal('person_not_locked', `the person ${params.person} is not locked; lock them before deleting`);
    });
    return {};
  },
} satisfies Partial<Handlers>;

async function setLock({ store }: Context, id: string, locked: boolean): Promise<Nothing> {
  const found = await store.write(['person'], (executor) => updatePersonLock(executor, id, locked));
  if (!found) throw notFound('person', id);
  return {};
}
