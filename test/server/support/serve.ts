/** A service in a process of its own, for tests that kill it: `serve.ts DIR` tells its parent its URL. */
import { closeOnSignal, startService } from '@rolecall/server';

const [dataDir = ''] = process.argv.slice(2);
const service = await startService({ dataDir, environment: {} });
process.send?.(service.url);
await closeOnSignal(service);
process.exit(0);
