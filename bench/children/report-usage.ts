import { writeFileSync } from 'node:fs';

// Loaded before the measured program: it leaves behind the most memory that the program ever had, in bytes, and the
// time that all its threads computed, in seconds.
process.on('exit', () => {
  const file = process.env['ROLECALL_BENCH_USAGE'];
  if (file === undefined) return;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(file, JSON.stringify({ peak: maxRSS * 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }));
});
