import type { Socket } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import { type Connection, createConnection } from 'mysql2';
import { tlsOptions } from './tls.ts';

/**
 * Opens a connection of mysql2 to exactly what the URI says.
 *
 * @param socket not connected yet, and bound to where it may; the connection owns it
 */
export function openConnection(uri: ConnectionUri, socket: Socket): Connection {
  const { user, password, host = '', port = 3306, database, parameters } = uri;
  const ssl = tlsOptions(uri);
  return createConnection({
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === '' ? {} : { database }),
    ...(ssl === undefined ? {} : { ssl }),
    host,
    port,
    charset: parameters['charset'] ?? 'utf8mb4',
    // A server may ask its client for files; the answer is no. The others: updates count the rows that they change, a
    // blank after a function's name means what it means elsewhere, and a command is nothing but its text.
    flags: ['-LOCAL_FILES', '-FOUND_ROWS', '-IGNORE_SPACE', '-CLIENT_QUERY_ATTRIBUTES'],
    connectTimeout: 0,
    stream: () => socket.setNoDelay(true).connect(port),
  });
}
