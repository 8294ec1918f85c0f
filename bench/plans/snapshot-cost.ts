import { Pool } from 'undici';
import type { ServerChild } from '../children/child.ts';
import { OpenLoop } from '../clients/open-loop.ts';
import { median, percentile } from '../report/report.ts';
import type { Environment } from '../workspace/workspace.ts';

/** What a snapshot of the workspace costs the service, and other requests. */
export interface SnapshotCost {
  /** Of one bare call, to its last byte. */
  readonly seconds: number;
  /** Of one whose ETag is current. */
  readonly unchangedSeconds: number;
  readonly mebibytes: number;
  /** How much more memory the service has at most while it answers. */
  readonly memoryMiB: number;
  /** 99th percentile of other requests meanwhile ÷ without snapshots. */
  readonly otherP99Ratio: number;
}

const rounds = 9;
/** For how long other requests are measured each time, and how many a second. */
const seconds = 4;
const rate = 200;

/** Measures the snapshot of the workspace that a service has. */
export async function measureSnapshot(service: ServerChild, env: Environment): Promise<SnapshotCost> {
  const pool = new Pool(env['ROLECALL_URL'] ?? '', { connections: 4 });
  const key = `${env['ROLECALL_KEY_ID'] ?? ''}@api:${env['ROLECALL_KEY_SECRET'] ?? ''}`;
  const authorization = `Basic ${Buffer.from(key).toString('base64')}`;
  const get = async (path: string, more: Record<string, string> = {}) => {
    const begun = performance.now();
    const { headers, body } = await pool.request({ method: 'GET', path, headers: { authorization, ...more } });
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    return { seconds: (performance.now() - begun) / 1000, bytes, tag: String(headers['etag'] ?? '') };
  };
  const snapshot = '/api/v2/snapshot';
  const [{ id }] = (await (
    await pool.request({ method: 'GET', path: '/api/v2/data-source', headers: { authorization } })
  ).body.json()) as [{ id: string }];
  using generator = await OpenLoop.start();
  const requests = [{ method: 'GET' as const, path: `/api/v2/data-source/${id}` }];
  const others = async (): Promise<number> => {
    const job = { url: env['ROLECALL_URL'] ?? '', authorization, requests, rate, seconds };
    return percentile((await generator.send(job)).latencies, 0.99);
  };
  // Compiles the statements, and warms up.
  const { tag, bytes } = await get(snapshot);
  const unchanged = { 'if-none-match': tag };
  const before = (await service.status()).rss;
  let peak = before;
  const times: number[] = [];
  const unchangedSeconds: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push((await get(snapshot)).seconds);
    // Not below: the report collects garbage, which others would wait for.
    peak = Math.max(peak, (await service.status()).rss);
    unchangedSeconds.push((await get(snapshot, unchanged)).seconds);
  }
  await others();
  // In turns, so that other work on the machine affects both alike.
  for (let round = 0; round < 5; round += 1) {
    const idle = await others();
    const stop = { isDone: false };
    const reading = (async () => {
      while (!stop.isDone) await get(snapshot);
    })();
    const busy = await others();
    stop.isDone = true;
    await reading;
    ratios.push(busy / idle);
  }
  await pool.close();
  return {
    seconds: median(times),
    unchangedSeconds: median(unchangedSeconds),
    mebibytes: bytes / 1024 ** 2,
    memoryMiB: (peak - before) / 1024 ** 2,
    otherP99Ratio: median(ratios),
  };
}
