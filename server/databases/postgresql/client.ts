import type { Socket } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import { guardConnection } from './guard.ts';
import { tlsOptions } from './tls.ts';

/**
 * Makes a client of node-postgres that connects to exactly what the URI says. What a configuration leaves empty,
 * node-postgres takes from PGPASSWORD and its like, from ~/.pgpass and from the name of the user that runs the service:
 * whoever may name a host would be sent the service's own credentials. So every such setting is given here.
 *
 * @param socket not connected yet; the client connects it and owns it
 * @param largestMessage the longest message to accept from the server, in bytes
 */
export function createClient(uri: ConnectionUri, socket: Socket, largestMessage: number): pg.Client {
  const { user = '', password = '', host = '', port = 5432, database, parameters } = uri;
  const client = new pg.Client({
    user,
    // As a function, since an empty text sends the driver looking elsewhere.
    password: () => password,
    host,
    port,
    database: database === '' ? user : database,
    ssl: tlsOptions(uri),
    sslnegotiation: 'postgres',
    stream: () => socket,
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
  return client;
}
