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
  /** Allows a run to remove objects that its manager did not make, without being told their names. */
  allowFirstRemoval?: boolean;
}

/** The rails of a workspace that declares none. */
export const defaultRails: Rails = { maxRemovalPercent: 15, minimumRemoval: 10 };

/** An override as a Workspace declares it: `removal-share:access/billing until 2026-12-01 because it moves to finance`. */
export interface DeclaredOverride {
  /** As the refusal names it. */
  token: string;
  /** The last day on which it applies, in UTC. */
  until: string;
  reason: string;
}

/**
 * The rails that an override can name. A token of another one would override nothing, and no one would be told. An earlier version had
 * `replace-person`: one that is left must not stop a run, whose plan says that it can go.
 */
const rail = '(?:critical|first-removal|last-member|protected|removal-share|replace-person)';
const day = '(?:0[1-9]|[12][0-9])|(?:0[13-9]|1[0-2])-30|(?:0[13578]|1[02])-31';

export const overridePattern = new RegExp(
  `^(${rail}:.*[^ ]) until ([0-9]{4}-(?:(?:0[1-9]|1[0-2])-${day})) because ([^ ].*)$`,
);

/** Reads an override; undefined for a text that is none. */
export function parseOverride(text: string): DeclaredOverride | undefined {
  const [, token, until, reason] = overridePattern.exec(text) ?? [];
  if (token === undefined || until === undefined || reason === undefined) return undefined;
  return { token, until, reason };
}
