import type { Socket } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import { assertMayTellPassword } from '../connections/socket.ts';
import { guardConnection } from './guard.ts';
import { openStream, tlsWords } from './tls.ts';

/**
 * Logs in with a client of node-postgres, to exactly what the URI says. What a configuration leaves empty,
 * node-postgres takes from PGPASSWORD and its like, from ~/.pgpass and from the name of the user that runs the service:
 * whoever may name a host would be sent the service's own credentials. So every such setting is given here.
 *
 * @param socket not connected yet; the client owns it
 * @param largestMessage the longest message to accept from the server, in bytes
 */
export async function connectClient(uri: ConnectionUri, socket: Socket, largestMessage: number): Promise<pg.Client> {
  const { user = '', password = '', host = '', port = 5432, database, parameters } = uri;
  const stream = await openStream(socket, uri);
  // The driver connects what it is given, and waits until that is connected.
  Object.assign(stream, {
    connect: () => {
      process.nextTick(() => stream.emit('connect'));
    },
  });
  const client = new pg.Client({
    user,
    // As a function, since an empty text sends the driver looking elsewhere.
    password: () => password,
    host,
    port,
    database: database === '' ? user : database,
    ssl: false,
    sslnegotiation: 'postgres',
    stream: () => stream,
  });
  const startup = {
    user,
    database: database === '' ? user : database,
    client_encoding: 'UTF8',
    application_name: parameters['application_name'] ?? 'Rolecall',
  };
  // Not in the driver's types: what it sends to open a session, in full.
  Object.assign(client, { getStartupConf: () => startup });
  guardConnection(client.connection, largestMessage);
  keepPassword(client.connection, password, () => {
    assertMayTellPassword(stream, socket, uri, tlsWords(uri));
  });
  // An error that comes when nothing waits for it any more would otherwise end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A server may ask for the password itself at any moment of a log-in, so it is stopped where the driver sends it. */
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
