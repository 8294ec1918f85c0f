import { type Client, createClient, isPlaintextRemote } from '@rolecall/api';
import type { Context } from './command.ts';
import type { Connection } from './workspace.ts';

/** How many lists are read side by side, as the client does of itself. */
const readConnections = 16;

/**
 * Opens a client, and warns where it would send secrets in plain text.
 *
 * @param concurrency how many calls run side by side at most
 * @param abandon ends every call
 */
export function openClient(
  connection: Connection,
  concurrency: number | undefined,
  abandon: AbortSignal,
  { output }: Context,
): Client {
  const { url } = connection;
  if (isPlaintextRemote(url)) {
    output.warn(
      'plaintext_url',
      `${url} is plain HTTP to another machine: the API key is sent unencrypted, and so are passwords. Use https.`,
    );
  }
  const connections = concurrency === undefined ? {} : { connections: Math.max(concurrency, readConnections) };
  return createClient({ ...connection, signal: abandon, ...connections });
}
