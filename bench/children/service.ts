import { type ServiceOptions, startService } from '@rolecall/server';
import { answerStatus } from './answer-status.ts';

const [dataDir = '', more = '{}'] = process.argv.slice(2);
answerStatus();
const service = await startService({
  dataDir,
  allowedNetworks: ['127.0.0.0/8', '::1'],
  limits: { rateLimit: 0 },
  ...(JSON.parse(more) as Partial<ServiceOptions>),
});
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.send?.(service.url);
