/** A service in a process of its own, for tests that kill it: `serve.ts OPTIONS` (JSON) tells its parent its URL. */
import { closeOnSignal, type ServiceOptions, startService } from '@rolecall/server';

const [options = ''] = process.argv.slice(2);
const service = await startService(JSON.parse(options) as ServiceOptions);
process.send?.(service.url);
await closeOnSignal(service);
process.exit(0);
