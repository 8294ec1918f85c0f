import { ProblemError } from '@rolecall/api';
import { listUpTo } from '../model/step.ts';
import type { View } from '../view/view.ts';
import { type Baseline, type BaselineReading, takeBaseline } from './baseline.ts';

/** The changes in one reading since a plan was made; names in order. */
export interface Moved {
  /** `people`, `the people in analysts`. */
  what: string;
  added: string[];
  changed: string[];
  gone: string[];
}

/**
 * Reads again all that a plan was made from, and says what has changed since.
 *
 * @param view a fresh one
 * @returns nothing where the workspace is as it was
 * @throws the client's errors, and Error for a reading that this version does not know
 */
export async function findMoved(baseline: Baseline, view: View): Promise<Moved[]> {
  await Promise.all(Object.keys(baseline).map((name) => readAgain(name, view)));
  const now = takeBaseline(view.readings());
  return Object.entries(baseline).flatMap(([name, readingBefore]) => {
    const moved = compareReading(readingBefore, now[name]);
    return moved.added.length + moved.changed.length + moved.gone.length === 0 ? [] : [moved];
  });
}

/** In words, a line for each reading: `people: grace was added; ada has changed`. */
export function describeMoved(moved: readonly Moved[]): string[] {
  return moved.map(({ what, added, changed, gone }) => {
    const parts = [
      ...part(added, 'was added', 'were added'),
      ...part(changed, 'has changed', 'have changed'),
      ...part(gone, 'is gone', 'are gone'),
    ];
    return `${what}: ${parts.join('; ')}`;
  });
}

function compareReading({ what, objects: before }: BaselineReading, now: BaselineReading | undefined): Moved {
  const after = now?.objects ?? {};
  const namesIn = (objects: BaselineReading['objects'], isMeant: (id: string) => boolean): string[] =>
    Object.entries(objects)
      .filter(([id]) => isMeant(id))
      .map(([, [name]]) => name)
      .sort();
  return {
    what,
    added: namesIn(after, (id) => !Object.hasOwn(before, id)),
    changed: namesIn(before, (id) => Object.hasOwn(after, id) && before[id]?.[1] !== after[id]?.[1]),
    gone: namesIn(before, (id) => !Object.hasOwn(after, id)),
  };
}

async function readAgain(name: string, view: View): Promise<void> {
  const [reading = '', id] = name.split(' ');
  try {
    const [whole, part] = [
      wholes.find((candidate) => candidate === reading),
      parts.find((candidate) => candidate === reading),
    ];
    if (id === undefined && whole !== undefined) await view[whole]();
    else if (id !== undefined && part !== undefined) await view[part](id);
    else throw new Error(`the plan was made from "${name}", which this version cannot read`);
  } catch (error) {
    // What is read of one object cannot be read once that is gone, and then all of it is.
    if (!(error instanceof ProblemError && error.kind === 'not-found' && id !== undefined)) throw error;
  }
}

const wholes = ['people', 'roles', 'dataSources', 'permissions', 'snippets'] as const;

/** Readings of one object. */
const parts = ['rolePeople', 'roleDataSources', 'connection', 'snippetVersions', 'personRoles'] as const;

const mostNamed = 10;

function part(names: readonly string[], singular: string, several: string): string[] {
  if (names.length === 0) return [];
  return [`${listUpTo(mostNamed, names)} ${names.length === 1 ? singular : several}`];
}
