import { ConnectionUriError, type DeclarableKind, ProblemError } from '@rolecall/api';
import { areLookAlikes, isForeign, loadSkeleton, spelled } from '@rolecall/crds';
import { label } from '../model/desired.ts';
import type { Note, Step } from '../model/step.ts';
import { subjectTable } from '../operations/subjects.ts';
import { actOf, does, subjectId, subjectOf } from '../operations/table.ts';
import type { View } from '../view/view.ts';

/**
 * Says which objects a plan would create under a name that can be taken for one that the workspace has, such as with a
 * Cyrillic а: a reviewer sees no difference, and would give access to another person.
 */
export async function lookAlikeNotes(steps: readonly Step[], view: View): Promise<Note[]> {
  const created = steps.flatMap((step) => {
    const subject = subjectOf(step);
    const { name: field } = subjectTable[subject];
    const name = field === undefined || actOf(step) !== 'create' ? undefined : step.body?.[field];
    return typeof name === 'string' ? [{ step, subject, name }] : [];
  });
  if (created.length === 0) return [];
  const existing = await namesThere(new Set(created.map(({ subject }) => subject)), view);
  if (!created.some(({ name }) => isForeign(name)) && !existing.some(({ name }) => isForeign(name))) return [];
  const skeletonOf = await loadSkeleton();
  const bySkeleton = Map.groupBy(existing, ({ subject, name }) => `${subject} ${skeletonOf(name)}`);
  return created.flatMap(({ step, subject, name }) => {
    const alike = bySkeleton.get(`${subject} ${skeletonOf(name)}`)?.find((there) => areLookAlikes(name, there.name));
    if (alike === undefined) return [];
    const message = `is created as ${spelled(name)}, which looks like ${spelled(alike.name)} of the workspace, and is another`;
    return [{ object: label(step.object), message }];
  });
}

/** The names of the collections in which something is created, which were read to find that out. */
async function namesThere(
  created: ReadonlySet<DeclarableKind>,
  view: View,
): Promise<{ subject: string; name: string }[]> {
  const namesIn = {
    person: async () => (await view.people()).all.map(({ username }) => username),
    role: async () => (await view.roles()).all.map(({ name }) => name),
    data_source: async () => (await view.dataSources()).all.flatMap(({ alias }) => alias ?? []),
  };
  const read = Object.entries(namesIn).filter(([subject]) => created.has(subject as keyof typeof namesIn));
  const names = read.map(async ([subject, all]) => (await all()).map((name) => ({ subject, name })));
  return (await Promise.all(names)).flat();
}

/**
 * Says which data sources a plan removes together with a password. Nothing that is declared has it any more, so that a
 * revert makes the data source again without it, unless its definition names one.
 */
export async function lostPasswordNotes(steps: readonly Step[], view: View): Promise<Note[]> {
  const removals = steps.filter((step) => step.effect === 'remove' && does(step, 'delete', 'data_source'));
  const held = await Promise.all(removals.map((step) => hasPassword(subjectId(step), view)));
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
