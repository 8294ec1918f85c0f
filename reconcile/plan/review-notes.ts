import { ConnectionUriError, ProblemError } from '@rolecall/api';
import { areLookAlikes, isForeign, loadSkeleton, spelled } from '@rolecall/crds';
import { label } from '../model/desired.ts';
import { idOf, type Note, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';

/**
 * Says which objects a plan would create under a name that can be taken for one that the workspace has, such as with a
 * Cyrillic а: a reviewer sees no difference, and would give access to another person.
 */
export async function lookAlikeNotes(steps: readonly Step[], view: View): Promise<Note[]> {
  const created = steps.flatMap((step) => {
    const field = fields[step.operation];
    const name = field === undefined ? undefined : step.body?.[field];
    return typeof name === 'string' ? [{ step, name }] : [];
  });
  if (created.length === 0) return [];
  const existing = await namesThere(new Set(created.map(({ step }) => step.operation)), view);
  if (!created.some(({ name }) => isForeign(name)) && !existing.some(({ name }) => isForeign(name))) return [];
  const skeletonOf = await loadSkeleton();
  const bySkeleton = Map.groupBy(existing, ({ operation, name }) => `${operation} ${skeletonOf(name)}`);
  return created.flatMap(({ step, name }) => {
    const alike = bySkeleton
      .get(`${step.operation} ${skeletonOf(name)}`)
      ?.find((there) => areLookAlikes(name, there.name));
    if (alike === undefined) return [];
    const message = `is created as ${spelled(name)}, which looks like ${spelled(alike.name)} of the workspace, and is another`;
    return [{ object: label(step.object), message }];
  });
}

/** The field of the body that people tell the object by. */
const fields: Readonly<Record<string, string>> = {
  createPerson: 'username',
  createRole: 'name',
  createDataSource: 'alias',
};

/** The names of the collections in which something is created, which were read to find that out. */
async function namesThere(operations: ReadonlySet<string>, view: View): Promise<{ operation: string; name: string }[]> {
  const [people, roles, dataSources] = await Promise.all([
    operations.has('createPerson') ? view.people().then(({ all }) => all.map(({ username }) => username)) : [],
    operations.has('createRole') ? view.roles().then(({ all }) => all.map(({ name }) => name)) : [],
    operations.has('createDataSource')
      ? view.dataSources().then(({ all }) => all.flatMap(({ alias }) => alias ?? []))
      : [],
  ]);
  return [
    ...people.map((name) => ({ operation: 'createPerson', name })),
    ...roles.map((name) => ({ operation: 'createRole', name })),
    ...dataSources.map((name) => ({ operation: 'createDataSource', name })),
  ];
}

/**
 * Says which data sources a plan removes together with a password. Nothing that is declared has it any more, so that a
 * revert makes the data source again without it, unless its definition names one.
 */
export async function lostPasswordNotes(steps: readonly Step[], view: View): Promise<Note[]> {
  const removals = steps.filter(({ effect, operation }) => effect === 'remove' && operation === 'deleteDataSource');
  const held = await Promise.all(removals.map(({ params }) => hasPassword(idOf(params['dataSource']), view)));
  return removals
    .filter((_step, index) => held[index])
    .map(({ object }) => ({
      object: label(object),
      message:
        'takes along the password that the workspace holds for it, which no definition declares: to create it again, declare passwordFrom',
    }));
}

async function hasPassword(id: string, view: View): Promise<boolean> {
  try {
    return await view.hasPassword(id);
  } catch (error) {
    // A key that is enough to remove it need not be enough to read it, and then there is nothing to say.
    if (error instanceof ProblemError || error instanceof ConnectionUriError) return false;
    throw error;
  }
}
