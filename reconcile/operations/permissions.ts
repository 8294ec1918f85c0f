import { idOf, type StepOf } from '../model/step.ts';
import { changes, creates, deletes, givesAccess, noAccess, type Rows, takesAccess } from './operation.ts';
import { exists } from './proof.ts';

export const permissions: Rows<'createPermission' | 'updatePermission' | 'deletePermission'> = {
  createPermission: {
    ...creates('permission'),
    access: givesAccess,
    // A single one is shown without its start.
    proof: ({ id, startsAt, expiresAt }, client, { person, dataSource }) =>
      exists(
        client.call('listPairPermissions', { params: { person: String(person), dataSource: String(dataSource) } }),
        (all) => all.some((now) => now.id === id && now.startsAt === startsAt && now.expiresAt === expiresAt),
      ),
    outcome: (facts, { id: key, params, body: { startsAt, duration } }) => {
      // A bridge is over by the end of the run.
      if (startsAt === undefined) return;
      facts.permissions.set(key, {
        key,
        person: idOf(params.person),
        dataSource: idOf(params.dataSource),
        startsAt,
        expiresAt: new Date(Date.parse(startsAt) + duration * 1000).toISOString(),
      });
    },
    take: (kept, { step: { params }, answer, resolve }) => {
      const all = kept.get('permissions');
      const person = kept.peek('people')?.byId.get(resolve(params.person));
      const dataSource = kept.peek('dataSources')?.byId.get(resolve(params.dataSource));
      if (person === undefined || dataSource === undefined) {
        kept.drop('permissions');
        return;
      }
      const { id, name, username, email } = person;
      all?.put({
        ...answer,
        person: { id, name, username, email },
        dataSource: { id: dataSource.id, name: dataSource.name, alias: dataSource.alias },
      });
    },
  },
  updatePermission: {
    ...changes('permission'),
    access: {
      ...noAccess,
      gives: (step) => isMoved(step, (from, to, field) => (field === 'startsAt' ? to < from : from < to)),
      takes: (step) => isMoved(step, (from, to, field) => (field === 'startsAt' ? from < to : to < from)),
      takesFrom: ['permission'],
    },
    outcome: (facts, { params, body }) => {
      const permission = facts.permissions.get(idOf(params.permission));
      if (permission === undefined) return;
      const { startsAt = permission.startsAt, expiresAt = permission.expiresAt } = body;
      facts.permissions.set(permission.key, { ...permission, startsAt, expiresAt });
    },
    take: (kept, { answer }) => kept.get('permissions')?.put(answer),
  },
  deletePermission: {
    ...deletes('permission'),
    access: takesAccess('permission'),
    outcome: (facts, { params }) => facts.permissions.delete(idOf(params.permission)),
    take: (kept, { step, resolve }) => kept.get('permissions')?.remove(resolve(step.params.permission)),
  },
};

/** True if a step moves an end of the window like this. Times are ISO 8601, which sort as they stand. */
function isMoved(
  { changes = [] }: StepOf<'updatePermission'>,
  is: (from: string, to: string, field: string) => boolean,
): boolean {
  return changes.some(({ field, from, to }) => is(from ?? '', to ?? '', field));
}
