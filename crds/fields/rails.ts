/** What a Workspace is held to, apart from its schema: a plan needs it without reading one. */

/** The collections of a workspace, each of which it may declare exact. */
export const exactCollections = ['people', 'roles', 'memberships', 'dataSources', 'permissions', 'snippets'] as const;
export type ExactCollection = (typeof exactCollections)[number];
/** Those whose objects have ids of their own; memberships are read and removed through their role. */
export type ObjectCollection = Exclude<ExactCollection, 'memberships'>;

/** What people call each. */
export const collectionWords: Readonly<Record<ExactCollection, string>> = {
  people: 'people',
  roles: 'roles',
  memberships: 'memberships',
  dataSources: 'data sources',
  permissions: 'permissions',
  snippets: 'snippets',
};

export interface Rails {
  /** The largest share of a collection, in percent, that one run may remove. */
  maxRemovalPercent: number;
  /** Collections smaller than this are not held to the share. */
  minimumCollection: number;
  /** Whether a run may remove what its manager did not make without having been asked for it by name. */
  allowFirstRemoval?: boolean;
}

/** Those of a workspace that declares none. */
export const defaultRails: Rails = { maxRemovalPercent: 25, minimumCollection: 10 };
