/**
 * Sends requests at a constant rate, whether or not the ones before are answered, and times each from the moment at which
 * it was due: a server that stalls makes all who come meanwhile wait, and a client that waits with it would not see that.
 */
import { Pool } from 'undici';

/** What to send, in turns. `[n]` in a path or body is replaced by a number that is unique within the process. */
export interface OpenLoopRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: string;
}

export interface OpenLoopJob {
  url: string;
  authorization: string;
  /** Of bodies; default: a form. */
  contentType?: string;
  requests: OpenLoopRequest[];
  /** Requests a second. */
  rate: number;
  seconds: number;
}

export interface OpenLoopResult {
  sent: number;
  /** Answered with anything but 200, or not at all; with the first such answer. */
  failed: number;
  failure: string;
  /** Time from the scheduled start to the answer, in milliseconds, of requests answered with 200. */
  latencies: number[];
  /** From the first due time to the last answer, in seconds. */
  seconds: number;
  /** How late requests were sent, in milliseconds: the 99th percentile. */
  lateP99: number;
}

/** More than this under way is a server that does not keep up. */
const mostOpen = 2000;
const connections = 64;

let unique = 0;

process.on('message', (job: OpenLoopJob) => {
  void drive(job).then((result) => process.send?.(result));
});
process.send?.('ready');

async function drive({
  url,
  authorization,
  contentType,
  requests,
  rate,
  seconds,
}: OpenLoopJob): Promise<OpenLoopResult> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization, 'content-type': contentType ?? 'application/x-www-form-urlencoded' };
  const result = { sent: 0, failed: 0, failure: '', latencies: [] as number[] };
  const late: number[] = [];
  const open = new Set<Promise<void>>();
  const total = Math.round(rate * seconds);
  const begin = performance.now();

  const send = async (due: number): Promise<void> => {
    const { method, path, body } = requests[result.sent % requests.length] ?? { method: 'GET', path: '/' };
    unique += 1;
    const name = String(unique);
    const answer = await pool.request({
      method,
      path: path.replace('[n]', name),
      headers,
      ...(body === undefined ? {} : { body: body.replaceAll('[n]', name) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode === 200) result.latencies.push(performance.now() - due);
    else fail(`${method} ${path} was answered with ${answer.statusCode}: ${text}`);
  };
  const fail = (reason: string): void => {
    result.failed += 1;
    if (result.failure === '') result.failure = reason;
  };

  while (result.sent < total) {
    const now = performance.now();
    for (let due = begin + (result.sent * 1000) / rate; due <= now && result.sent < total; ) {
      if (open.size >= mostOpen) fail('too many requests are under way');
      else {
        late.push(now - due);
        const sending = send(due)
          .catch((error: unknown) => {
            fail(String(error));
          })
          .finally(() => open.delete(sending));
        open.add(sending);
      }
      result.sent += 1;
      due = begin + (result.sent * 1000) / rate;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  const elapsed = (performance.now() - begin) / 1000;
  await pool.close();
  late.sort((a, b) => a - b);
  return { ...result, seconds: elapsed, lateP99: late[Math.floor(late.length * 0.99)] ?? 0 };
}
