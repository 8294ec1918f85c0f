import type { ExactCollection } from './desired.ts';

/** The ids of objects on the server that some desired object means, by collection. */
export type Claimed = Readonly<Record<ExactCollection, ReadonlySet<string>>>;
