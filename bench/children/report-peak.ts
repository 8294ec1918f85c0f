import { writeFileSync } from 'node:fs';

// Loaded before the measured program: it leaves behind the most memory that the program ever had.
process.on('exit', () => {
  const file = process.env['ROLECALL_BENCH_PEAK'];
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS * 1024));
});
