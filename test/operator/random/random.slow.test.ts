import { testRandomChanges } from './suite.ts';

testRandomChanges(Number(process.env['ROLECALL_RANDOM_SECONDS'] ?? 600));
