/** The service that is fuzzed, in a process of its own: `serve-fuzzed.ts DIR`. It connects to this machine only. */
import { closeOnSignal, startService } from '@rolecall/server';

const [dataDir = ''] = process.argv.slice(2);
const service = await startService({
  dataDir,
  environment: {},
  checkAnswers: true,
  deniedNetworks: ['0.0.0.0/0', '::/0'],
  allowedNetworks: ['127.0.0.0/8', '::1/128'],
  limits: { maxGuesses: { address: 1e9, key: 1e9 } },
  logger: { level: 'error', stream: process.stderr },
});
process.send?.(service.url);
await closeOnSignal(service);
process.exit(0);
