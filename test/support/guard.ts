import { createGuard } from '../../server/databases/guard/index.ts';

/** What an operator says so that data sources may be on this machine. */
export const onThisMachine = { allowedNetworks: ['127.0.0.0/8', '::1'], sqliteFolders: ['/'] };

/** The guard of a service whose operator has said that. */
export const guard = createGuard({
  networks: { allowed: onThisMachine.allowedNetworks },
  files: { folders: onThisMachine.sqliteFolders },
});
