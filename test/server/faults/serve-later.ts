/** A service in a process of its own that loads first and starts when it is told its options: a spare for one that is killed. */
import { type ServiceOptions, startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';

process.once('message', (options: ServiceOptions) => {
  startService({ environment: {}, ...onThisMachine, ...options }).then(
    ({ url }) => process.send?.({ url }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
