import { idOf } from '../model/step.ts';
import { memberLists } from './kept-readings.ts';
import {
  changes,
  creates,
  deletes,
  givesAccess,
  noAccess,
  type Operation,
  type Rows,
  takesAccess,
} from './operation.ts';
import { exists } from './proof.ts';

export const people: Rows<'createPerson' | 'updatePerson' | 'lockPerson' | 'unlockPerson' | 'deletePerson'> = {
  createPerson: {
    ...creates('person'),
    access: noAccess,
    proof: ({ id, username }, client) =>
      exists(client.call('getPerson', { params: { person: id } }), (now) => now.username === username),
    outcome: (facts, { makes: key = '', body: { username, name } }) =>
      facts.people.set(key, { key, username, name, isLocked: false }),
    take: (kept, { answer }) => kept.get('people')?.put(answer),
  },
  updatePerson: {
    ...changes('person'),
    access: noAccess,
    outcome: (facts, { params, body }) => {
      const person = facts.people.get(idOf(params.person));
      if (person === undefined) return;
      const { username = person.username, name = person.name } = body;
      facts.people.set(person.key, { ...person, username, name });
    },
    take: (kept, { answer: person }) => {
      const { id, name, username, email } = person;
      kept.get('people')?.put(person);
      for (const members of memberLists(kept, 'rolePeople')) {
        const member = members.byId.get(id);
        if (member !== undefined) members.put({ ...member, name, username, email });
      }
      // To look for theirs at each of thousands of renamed people would take people × permissions.
      kept.drop('permissions');
      kept.drop('snippets');
    },
  },
  lockPerson: { ...changes('person', 'lock'), access: takesAccess('person'), ...setsLock(true) },
  unlockPerson: { ...changes('person', 'unlock'), access: givesAccess, ...setsLock(false) },
  deletePerson: {
    ...deletes('person', { permissions: 'person', snippets: 'ownerPerson' }),
    access: takesAccess('person'),
    outcome: (facts, { params }) => {
      facts.people.delete(idOf(params.person));
      facts.gone.add(idOf(params.person));
    },
    take: (kept, { step, resolve }) => {
      const person = resolve(step.params.person);
      kept.get('people')?.remove(person);
      kept.drop(`personRoles ${person}`);
      for (const members of memberLists(kept, 'rolePeople')) members.remove(person);
    },
  },
};

function setsLock(isLocked: boolean): Pick<Operation<'lockPerson' | 'unlockPerson'>, 'outcome' | 'take'> {
  return {
    outcome: (facts, { params }) => {
      const person = facts.people.get(idOf(params.person));
      if (person !== undefined) facts.people.set(person.key, { ...person, isLocked });
    },
    take: (kept, { step, resolve }) => {
      const all = kept.get('people');
      const person = all?.byId.get(resolve(step.params.person));
      if (person !== undefined) all?.put({ ...person, isLocked });
    },
  };
}
