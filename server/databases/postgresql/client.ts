import type { Socket } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import { assertMayTellPassword } from '../connections/socket.ts';
import { guardConnection } from './guard.ts';
import { startupMessage } from './requests.ts';
import { keepScramKeys } from './scram-keys.ts';
import { openStream, tlsWords } from './tls.ts';

/**
 * Logs in with node-postgres, using only what the URI says. For settings that are left empty, node-postgres reads PGPASSWORD
 * and the like, ~/.pgpass and the name of the service's user. Anyone who may name a host would then receive the service's own
 * credentials, so every such setting is given here.
 *
 * @param socket not connected yet; the client owns it
 * @param largestMessage the longest message to accept from the server, in bytes
 * @param settings of the session, which the server takes as it opens it
 * @param onSetting called for each setting that the server reports during the log-in
 */
export async function connectClient(
  uri: ConnectionUri,
  socket: Socket,
  largestMessage: number,
  settings: Readonly<Record<string, string>> = ownSettings(uri),
  onSetting?: (name: string, value: string) => void,
): Promise<pg.Client> {
  const { user = '', password = '', host = '', port = 5432, database } = uri;
  const stream = await openStream(socket, uri);
  // The driver calls `connect` and waits for its event; the stream is connected already.
  Object.assign(stream, {
    connect: () => {
      process.nextTick(() => stream.emit('connect'));
    },
  });
  const client = new pg.Client({
    user,
    // A function, since an empty text makes the driver look elsewhere.
    password: () => password,
    host,
    port,
    database: database === '' ? user : database,
    ssl: false,
    sslnegotiation: 'postgres',
    stream: () => stream,
  });
  const startup = startupMessage({ user, database: database === '' ? user : database, ...settings });
  // The driver would add `client_encoding=UTF8`, which wins over what the settings say.
  Object.assign(client.connection, { startup: () => stream.write(startup) });
  guardConnection(client.connection, largestMessage);
  keepScramKeys(client, password);
  keepPassword(client.connection, password, () => {
    assertMayTellPassword(stream, socket, uri, tlsWords(uri));
  });
  if (onSetting !== undefined) {
    // Not in the driver's types.
    client.connection.on('parameterStatus', (setting: { parameterName: string; parameterValue: string }) => {
      onSetting(setting.parameterName, setting.parameterValue);
    });
  }
  // An error without a listener would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function ownSettings({ parameters }: ConnectionUri): Readonly<Record<string, string>> {
  return { client_encoding: 'UTF8', application_name: parameters['application_name'] ?? 'Rolecall' };
}

/** A server may ask for the password itself at any moment of a log-in, so the check is where the driver sends it. */
function keepPassword(connection: object, password: string, assertAllowed: () => void): void {
  // Not in the driver's types; hostile.test.ts fails when a new version of it sends passwords in another way.
  const { password: send, emit } = connection as Record<'password' | 'emit', (...args: unknown[]) => void>;
  const sendChecked = (text: string): void => {
    try {
      if (text === password && password !== '') assertAllowed();
      send.call(connection, text);
    } catch (error) {
      emit.call(connection, 'error', error);
    }
  };
  Object.assign(connection, { password: sendChecked });
}
