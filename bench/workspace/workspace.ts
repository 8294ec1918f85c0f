import { createKey } from '@rolecall/server';
import { Pool } from 'undici';
import { renewals } from '../children/answer-status.ts';
import { type ServerChild, startChild } from '../children/child.ts';

/** The environment in which a command finds a workspace. */
export type Environment = Record<string, string>;

/** Starts the service in a process of its own, with an admin key, for the time of some work. */
export async function withService<T>(
  dataDir: string,
  work: (service: ServerChild, env: Environment) => Promise<T>,
): Promise<T> {
  const key = await createKey({ dataDir, scope: 'admin' });
  const service = await startChild('service.ts', [dataDir]);
  try {
    return await work(service, { ROLECALL_URL: service.url, ROLECALL_KEY_ID: key.id, ROLECALL_KEY_SECRET: key.secret });
  } finally {
    await service.stop();
  }
}

/** Does some work, such as a command, and counts the requests that the service received meanwhile, without renewals of a lease. */
export async function counted<T>(service: ServerChild, work: () => Promise<T>): Promise<{ run: T; calls: number }> {
  const received = async (): Promise<number> => {
    const { requests } = await service.status();
    return total(requests) - (requests[renewals] ?? 0);
  };
  const before = await received();
  const run = await work();
  return { run, calls: (await received()) - before };
}

export function total(numbers: Record<string, number>): number {
  return Object.values(numbers).reduce((sum, number) => sum + number, 0);
}

/** A call as bare as it can be made. */
export interface RawCall {
  method: 'GET' | 'POST';
  path: string;
  /** A form. */
  body?: string;
}

/**
 * A floor: calls sent by undici alone, from a process that neither reads definitions nor plans.
 *
 * @param connections how many are side by side
 * @returns seconds
 */
export async function rawCalls(env: Environment, connections: number, calls: Iterable<RawCall>): Promise<number> {
  const pool = new Pool(env['ROLECALL_URL'] ?? '', { connections });
  const key = `${env['ROLECALL_KEY_ID'] ?? ''}@api:${env['ROLECALL_KEY_SECRET'] ?? ''}`;
  const headers = {
    authorization: `Basic ${Buffer.from(key).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  // One iterator for all, so that each takes the next call as it becomes free.
  const iterator = Iterator.from(calls);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        const { method, path, body } = next.value;
        const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
        await answer.body.arrayBuffer();
        if (answer.statusCode !== 200) throw new Error(`the floor's call was answered with ${answer.statusCode}`);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return seconds;
}
