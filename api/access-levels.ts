/** What people who do not own a snippet may do with it, from least to most. */
export const accessLevels = ['none', 'read_only', 'read_write', 'manage'] as const;
export type AccessLevel = (typeof accessLevels)[number];
