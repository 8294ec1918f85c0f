import { indexPeople, indexPermissions, indexRolePeople, indexSnippets } from './collection.ts';
import type { View } from './view.ts';

/** The part of a view that only reads: all that comparing needs. */
export type Reader = Omit<View, 'drop' | 'take' | 'forget' | 'renew' | 'readings'>;

/**
 * The workspace as it is once these people are deleted: the service deletes their memberships and permissions with them, and
 * leaves their snippets without an owner. What is planned over it is what the next run would plan if this one ended right after
 * the deletions, so an interrupted run needs no record of what it was doing.
 *
 * @param gone the people's ids
 */
export function withoutPeople(view: Reader, gone: ReadonlySet<string>): Reader {
  const read = new Map<string, Promise<unknown>>();
  /** Leaves people out of one reading, once however many ask. */
  function once<T>(name: string, reading: () => Promise<T>): Promise<T> {
    const found = read.get(name) ?? reading();
    read.set(name, found);
    // Each name is used with one type only, below.
    return found as Promise<T>;
  }
  const isLeft = ({ id }: { id: string }): boolean => !gone.has(id);
  return {
    ...view,
    people: () => once('people', async () => indexPeople((await view.people()).all.filter(isLeft))),
    rolePeople: (role) =>
      once(`rolePeople ${role}`, async () => indexRolePeople((await view.rolePeople(role)).all.filter(isLeft))),
    permissions: () =>
      once('permissions', async () =>
        indexPermissions((await view.permissions()).all.filter(({ person }) => isLeft(person))),
      ),
    snippets: () =>
      once('snippets', async () =>
        indexSnippets(
          (await view.snippets()).all.map((snippet) =>
            snippet.ownerPerson === null || isLeft(snippet.ownerPerson) ? snippet : { ...snippet, ownerPerson: null },
          ),
        ),
      ),
  };
}
