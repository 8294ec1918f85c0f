import { startService } from '@rolecall/server';
import { answerStatus } from './answer-status.ts';

const [dataDir = ''] = process.argv.slice(2);
answerStatus();
const service = await startService({
  dataDir,
  allowedNetworks: ['127.0.0.0/8', '::1'],
  limits: { rateLimit: 0 },
});
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.send?.(service.url);
