/** A service in a process of its own that loads first and starts when it is told the folder: a spare for one that is killed. */
import { startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';

process.once('message', (dataDir: string) => {
  startService({ dataDir, environment: {}, ...onThisMachine }).then(
    ({ url }) => process.send?.({ url }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
