import autocannon from 'autocannon';

export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** `[<id>]` in it is replaced by something unique for each request. */
  body?: string;
  connections: number;
  seconds: number;
}

export interface Throughput {
  requestsPerSecond: number;
  bytesPerSecond: number;
}

/**
 * Loads a server with as many connections as given, each sending its next request when the last is answered.
 *
 * @throws Error when any request failed or was answered with anything but 2xx
 */
export async function load({
  url,
  method = 'GET',
  headers = {},
  body,
  connections,
  seconds,
}: Load): Promise<Throughput> {
  const result = await autocannon({
    url,
    method,
    headers,
    connections,
    duration: seconds,
    ...(body === undefined ? {} : { body, idReplacement: true }),
  });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${bad} requests to ${url} failed`);
  return { requestsPerSecond: result.requests.average, bytesPerSecond: result.throughput.average };
}
