import { type Client, createClient, isPlaintextRemote, type RetryReport } from '@rolecall/api';
import type { Context } from '../command.ts';
import type { Connection } from './connection.ts';
import { describeCall } from './describe-call.ts';

/** How many lists are read side by side, as the client does of itself. */
const readConnections = 16;

const worthTellingMs = 2_000;

/**
 * Opens a client, and warns where it would send secrets in plain text.
 *
 * @param concurrency how many calls run side by side at most
 * @param abandon ends every call
 * @param onCall told of every call as it ends
 * @param manager who the service is told writes
 */
export function openClient(
  connection: Connection,
  concurrency: number | undefined,
  abandon: AbortSignal,
  context: Context,
  { onCall = () => undefined, manager }: { onCall?: () => void; manager?: string } = {},
): Client {
  const { output } = context;
  const { url, sources: _, ...options } = connection;
  context.connection = connection;
  if (isPlaintextRemote(url)) {
    output.warn(
      'plaintext_url',
      `${url} is plain HTTP to another machine: the API key is sent unencrypted, and so are passwords. Use https.`,
    );
  }
  let toldAt = -Infinity;
  const onRetry = ({ error, durationMs, delayMs }: RetryReport): void => {
    // What passes at once is nobody's concern; whoever waits longer wonders why. Calls side by side fail together.
    if (durationMs + delayMs < worthTellingMs || performance.now() - toldAt < worthTellingMs / 2) return;
    toldAt = performance.now();
    output.warn('retrying', `${describeCall(error, connection)}. Trying again in ${(delayMs / 1000).toFixed(1)} s`);
  };
  const connections = concurrency === undefined ? {} : { connections: Math.max(concurrency, readConnections) };
  return createClient({ url, ...options, signal: abandon, onCall, onRetry, manager, ...connections });
}
