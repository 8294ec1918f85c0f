/** A Workspace's collections and rails. Not in its schema's module, since a plan needs them without the schema. */

/** The collections of a workspace, each of which a Workspace may declare exact. */
export const exactCollections = ['people', 'roles', 'memberships', 'dataSources', 'permissions', 'snippets'] as const;
export type ExactCollection = (typeof exactCollections)[number];
/** The collections whose objects have ids; memberships are read and removed through their role. */
export type ObjectCollection = Exclude<ExactCollection, 'memberships'>;

/** The collections' names in messages. */
export const collectionWords: Readonly<Record<ExactCollection, string>> = {
  people: 'people',
  roles: 'roles',
  memberships: 'memberships',
  dataSources: 'data sources',
  permissions: 'permissions',
  snippets: 'snippets',
};

export interface Rails {
  /** The largest share, in percent, that one run may take away: of what people reach, and of each collection. */
  maxRemovalPercent: number;
  /** A run that takes away fewer than this is never refused for their share. */
  minimumRemoval: number;
  /** Whether a run may remove objects that its manager did not make, without being told their names. */
  allowFirstRemoval?: boolean;
}

/** The rails of a workspace that declares none. */
export const defaultRails: Rails = { maxRemovalPercent: 15, minimumRemoval: 10 };
