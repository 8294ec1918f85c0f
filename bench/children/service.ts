import { startService } from '@rolecall/server';
import { answerStatus } from './answer-status.ts';

const [dataDir = ''] = process.argv.slice(2);
answerStatus();
const service = await startService({ dataDir });
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.send?.(service.url);
