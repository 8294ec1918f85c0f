/** Access that people may have to a snippet that they do not own, from least to most. */
export const accessLevels = ['none', 'read_only', 'read_write', 'manage'] as const;
export type AccessLevel = (typeof accessLevels)[number];
