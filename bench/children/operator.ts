import { readFileSync } from 'node:fs';
import { HttpSession, keepHeapSmall, runOperator, systemClock } from '@rolecall/operator';
import type { OperatorJob, OperatorStatus } from '../operator/process.ts';

// The operator as in a pod: it has its access to the API server, and loads no library for kubeconfigs.
const [file = ''] = process.argv.slice(2);
const { url, ca, token, namespace, driftMs } = JSON.parse(readFileSync(file, 'utf8')) as OperatorJob;
const requests: Record<string, number> = {};
const stopped = new AbortController();
const session = new HttpSession({
  connection: { url, tls: { ca }, authorization: () => Promise.resolve(`Bearer ${token}`), namespace },
  clock: systemClock,
  userAgent: 'rolecall-bench',
  onAnswer: (method) => {
    requests[method] = (requests[method] ?? 0) + 1;
  },
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const status: OperatorStatus = { requests, cpuSeconds: (user + system) / 1e6, peakMiB: peakMiB() };
  process.send?.(status);
});
// A benchmark that fails leaves nothing behind.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => {
  stopped.abort();
});
await runOperator(
  {
    session,
    clock: systemClock,
    namespace,
    lease: { namespace, name: 'rolecall-operator' },
    driftMs,
    onListed: keepHeapSmall,
    log: (level, message) => {
      (level === 'warn' ? process.stderr : process.stdout).write(`${message}\n`);
    },
  },
  stopped.signal,
);
await session[Symbol.asyncDispose]();
process.exit(0);

/** The most that was resident since the program was loaded: what `getrusage` says counts the process it was forked from. */
function peakMiB(): number {
  const [, kib] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) / 1024;
}
