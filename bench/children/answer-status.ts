import { subscribe } from 'node:diagnostics_channel';

/** Counts the requests of this process as Node's own HTTP server sees them, and answers the parent's questions. */
export function answerStatus(): void {
  const requests: Record<string, number> = {};
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: { method?: string } };
    const method = request.method ?? '';
    requests[method] = (requests[method] ?? 0) + 1;
  });
  process.on('message', () => {
    // Garbage that waits to be collected is not what the process needs.
    globalThis.gc?.();
    process.send?.({ rss: process.memoryUsage.rss(), requests });
  });
}
