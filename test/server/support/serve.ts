/** A service in a process of its own, for tests that kill it: `serve.ts OPTIONS [GRACE]` (JSON, milliseconds) tells its parent its URL. */
import { type ServiceOptions, startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { closeOnSignal } from './close-on-signal.ts';

const [options = '', grace] = process.argv.slice(2);
const service = await startService({ ...onThisMachine, ...(JSON.parse(options) as ServiceOptions) });
process.send?.(service.url);
await closeOnSignal(service, grace === undefined ? undefined : Number(grace));
process.exit(0);
