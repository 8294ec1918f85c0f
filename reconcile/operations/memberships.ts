import type { RolePerson } from '@rolecall/api';
import { idOf } from '../model/step.ts';
import type { KeptReadings } from './kept-readings.ts';
import { creates, type Done, deletes, givesAccess, type Rows, takesAccess } from './operation.ts';

type Joining = 'addRolePerson' | 'setRolePersonWindows';

export const memberships: Rows<Joining | 'removeRolePerson' | 'addRoleDataSource' | 'removeRoleDataSource'> = {
  addRolePerson: {
    ...creates('role_person'),
    access: givesAccess,
    proof: undefined,
    outcome: ({ roles }, { params }) => roles.get(idOf(params.role))?.people.set(idOf(params.person), undefined),
    take: (kept, done) => {
      putMember(kept, done, {});
    },
  },
  setRolePersonWindows: {
    subject: 'role_person',
    // It adds a person who is not in the role.
    act: ({ effect }) => (effect === 'change' ? 'edit' : 'create'),
    makes: true,
    access: {
      gives: true,
      takes: ({ effect }) => effect === 'change',
      repoints: false,
      takesFrom: ['role'],
    },
    along: undefined,
    proof: undefined,
    outcome: ({ roles }, { params, body }) =>
      roles.get(idOf(params.role))?.people.set(idOf(params.person), body.windows),
    take: (kept, done) => {
      putMember(kept, done, { windows: [...done.step.body.windows] });
    },
  },
  removeRolePerson: {
    ...deletes('role_person'),
    access: takesAccess('role'),
    outcome: ({ roles }, { params }) => roles.get(idOf(params.role))?.people.delete(idOf(params.person)),
    take: (kept, { step: { params }, resolve }) => {
      kept.drop(`personRoles ${resolve(params.person)}`);
      kept.get(`rolePeople ${resolve(params.role)}`)?.remove(resolve(params.person));
    },
  },
  addRoleDataSource: {
    ...creates('role_data_source'),
    access: givesAccess,
    proof: undefined,
    outcome: ({ roles }, { params }) => roles.get(idOf(params.role))?.dataSources.add(idOf(params.dataSource)),
    take: (kept, { step: { params }, resolve }) => {
      const list = `roleDataSources ${resolve(params.role)}` as const;
      const dataSource = kept.peek('dataSources')?.byId.get(resolve(params.dataSource));
      if (dataSource === undefined) {
        kept.drop(list);
        return;
      }
      const { id, name, alias } = dataSource;
      kept.get(list)?.put({ id, name, alias, assignedAt: new Date().toISOString() });
    },
  },
  removeRoleDataSource: {
    ...deletes('role_data_source'),
    access: takesAccess('role', 'dataSource'),
    outcome: ({ roles }, { params }) => roles.get(idOf(params.role))?.dataSources.delete(idOf(params.dataSource)),
    take: (kept, { step: { params }, resolve }) =>
      kept.get(`roleDataSources ${resolve(params.role)}`)?.remove(resolve(params.dataSource)),
  },
};

/** @param times when the person has the role, where that is not always */
function putMember(
  kept: KeptReadings,
  { step: { params }, resolve }: Done<Joining>,
  times: Pick<RolePerson, 'windows'>,
): void {
  const list = `rolePeople ${resolve(params.role)}` as const;
  const person = kept.peek('people')?.byId.get(resolve(params.person));
  kept.drop(`personRoles ${resolve(params.person)}`);
  if (person === undefined) {
    kept.drop(list);
    return;
  }
  const { id, username, email, name } = person;
  const members = kept.get(list);
  const assignedAt = members?.byId.get(id)?.assignedAt ?? new Date().toISOString();
  members?.put({ id, username, email, name, assignedAt, ...times });
}
