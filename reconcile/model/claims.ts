import { type ExactCollection, exactCollections } from '@rolecall/crds';
import type { DesiredObject, KindName } from './desired.ts';

/** The collection of a workspace that has the objects of a kind; memberships are in their roles. */
export const collectionOf = {
  Person: 'people',
  Role: 'roles',
  DataSource: 'dataSources',
  Permission: 'permissions',
  Snippet: 'snippets',
  RoleMembership: undefined,
} as const satisfies Record<KindName, string | undefined>;

/** The ids of objects on the server that some desired object means, by collection. A membership is `ROLE/MEMBER`. */
export type Claimed = Readonly<Record<ExactCollection, ReadonlySet<string>>>;

/** Gathers which objects on the server the desired ones mean. */
export function createClaims(): Claimed & { add: (object: DesiredObject, ids: readonly string[]) => void } {
  const empty = exactCollections.map((collection) => [collection, new Set<string>()] as const);
  // fromEntries forgets that each collection has its set.
  const claimed = Object.fromEntries(empty) as Record<ExactCollection, Set<string>>;
  return {
    ...claimed,
    add({ kind }, ids) {
      for (const id of ids) claimed[collectionOf[kind] ?? 'memberships'].add(id);
    },
  };
}
