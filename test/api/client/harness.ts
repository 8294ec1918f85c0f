import assert from 'node:assert/strict';
import { type CallReport, type Client, type ClientOptions, createClient } from '@rolecall/api';

export const keySecret = 'hunter2-hunter2';

export interface Harness extends AsyncDisposable {
  client: Client;
  /** Every attempt, as `onCall` was told of it. */
  calls: CallReport[];
  /** Every pause between attempts, in milliseconds; none was really waited for. */
  pauses: number[];
}

/** A client whose pauses are recorded, not slept, and as long as full jitter can make them. */
export function harness(url: string, options: Partial<ClientOptions> = {}): Harness {
  const calls: CallReport[] = [];
  const pauses: number[] = [];
  const client = createClient({
    url,
    keyId: 'key1',
    keySecret,
    onCall: (report) => calls.push(report),
    random: () => 1,
    sleep: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    ...options,
  });
  return { client, calls, pauses, [Symbol.asyncDispose]: () => client.close() };
}

/** The error that a promise is rejected with, which must be of the given class. */
export async function rejection<T extends Error>(
  promise: Promise<unknown>,
  expected: abstract new (...args: never[]) => T,
): Promise<T> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof expected, `${String(error)} is a ${expected.name}`);
    return error;
  }
  return assert.fail(`nothing was thrown; expected a ${expected.name}`);
}
