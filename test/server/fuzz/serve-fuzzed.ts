/** The service that is fuzzed, in a process of its own: `serve-fuzzed.ts DIR`. It connects to this machine only. */
import { startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { closeOnSignal } from '../support/close-on-signal.ts';

const [dataDir = ''] = process.argv.slice(2);
const service = await startService({
  dataDir,
  environment: {},
  checkAnswers: true,
  deniedNetworks: ['0.0.0.0/0', '::/0'],
  ...onThisMachine,
  limits: { maxGuesses: { address: 1e9, key: 1e9 } },
  logger: { level: 'error', stream: process.stderr },
});
process.send?.(service.url);
await closeOnSignal(service);
process.exit(0);
