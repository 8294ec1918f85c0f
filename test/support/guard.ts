import { createGuard } from '../../server/databases/guard/index.ts';

/** The guard of a service whose operator has said nothing. */
export const guard = createGuard();
