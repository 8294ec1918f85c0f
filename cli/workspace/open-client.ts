import {
  type CallReport,
  type Client,
  createClient,
  ExchangedKeySource,
  ExchangingClient,
  isPlaintextRemote,
  type RetryReport,
  readIdToken,
} from '@rolecall/api';
import type { Context } from '../command.ts';
import type { Connection } from './connection.ts';
import { describeCall } from './describe-call.ts';

/** Lists that are read at once; the client's own default. */
const readConnections = 16;

const worthTellingMs = 2_000;

/**
 * Opens a client, and warns where it would send secrets in plain text.
 *
 * @param concurrency how many requests run at once at most
 * @param abandon aborts every request
 * @param onCall called after every request
 * @param manager the name that the service records with every change
 */
export function openClient(
  connection: Connection,
  concurrency: number | undefined,
  abandon: AbortSignal,
  context: Context,
  { onCall = () => undefined, manager }: { onCall?: (report: CallReport) => void; manager?: string } = {},
): Client {
  const { output } = context;
  const { url, sources: _, identity, ...options } = connection;
  context.connection = connection;
  if (isPlaintextRemote(url)) {
    output.warn(
      'plaintext_url',
      `${url} is plain HTTP to another machine: the API key is sent unencrypted, and so are passwords. Use https.`,
    );
  }
  let toldAt = -Infinity;
  const onRetry = ({ error, durationMs, delayMs }: RetryReport): void => {
    // Short delays are not reported. Requests that run at once fail together, so one warning stands for all.
    if (durationMs + delayMs < worthTellingMs || performance.now() - toldAt < worthTellingMs / 2) return;
    toldAt = performance.now();
    output.warn('retrying', `${describeCall(error, connection)}. Trying again in ${(delayMs / 1000).toFixed(1)} s`);
  };
  const connections = concurrency === undefined ? {} : { connections: Math.max(concurrency, readConnections) };
  const all = { url, ...options, signal: abandon, onCall, onRetry, manager, ...connections };
  if (identity.by === 'key') {
    const { keyId, keySecret } = identity;
    return createClient({ ...all, keyId, keySecret });
  }
  return new ExchangingClient(all, new ExchangedKeySource(all, () => readIdToken(identity.source, identity.audience)));
}
