import type { MySnippet } from '@rolecall/api';

/** Tells what the person may do with a snippet. */
export function describeLevel(level: MySnippet['level']): string {
  const words = { read_only: 'you may read it', read_write: 'you may read and write it', manage: 'you manage it' };
  return words[level];
}

export function describeOwner({ ownerPerson, ownerRole }: Pick<MySnippet, 'ownerPerson' | 'ownerRole'>): string {
  if (ownerPerson !== null) return `owned by ${ownerPerson.name}`;
  return ownerRole === null ? 'owned by no one' : `owned by the role ${ownerRole.name}`;
}

/** Choices of the access that people have to a snippet which they do not own. */
export const publicLevels: readonly (readonly [MySnippet['publicAccessLevel'], string])[] = [
  ['none', 'nothing'],
  ['read_only', 'read'],
  ['read_write', 'read and write'],
  ['manage', 'manage'],
];

/** The level of a choice of `publicLevels`; undefined if it is none of them. */
export function publicLevelOf(chosen: string | undefined): MySnippet['publicAccessLevel'] | undefined {
  return publicLevels.find(([value]) => value === chosen)?.[0];
}
