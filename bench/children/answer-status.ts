import { subscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Under which renewals of a lease are counted: how many there are depends on how long the machine takes. */
export const renewals = 'renewals';

/** Counts the requests of this process by method as Node's own HTTP server sees them, and answers the parent's questions. */
export function answerStatus(): void {
  const requests: Record<string, number> = {};
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: { method?: string; url?: string } };
    const { method = '', url = '' } = request;
    const kind = method === 'POST' && url.startsWith('/api/v2/lease/') ? renewals : method;
    requests[kind] = (requests[kind] ?? 0) + 1;
  });
  // A benchmark that fails leaves nothing behind.
  process.on('disconnect', () => process.exit(1));
  process.on('message', () => {
    // The process does not need garbage that waits for collection.
    globalThis.gc?.();
    const eventLoopP99Ms = delay.percentile(99) / 1e6;
    delay.reset();
    process.send?.({ rss: process.memoryUsage.rss(), requests, eventLoopP99Ms });
  });
}
