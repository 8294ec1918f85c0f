import type { Socket } from 'node:net';
import type { ServiceOptions } from '@rolecall/server';
import mysql from 'mysql2/promise';
import { type AtGateway, atGateway } from '../through-gateway.ts';

/** A person who reaches a data source of MySQL or MariaDB through the gateway. */
export interface ThroughGateway extends AtGateway {
  /** Connects with mysql2. */
  readonly connect: (more?: mysql.ConnectionOptions) => Promise<mysql.Connection>;
}

/** @param configUri of the data source */
export async function throughGateway(
  configUri: string,
  options: Partial<ServiceOptions> = {},
): Promise<ThroughGateway> {
  const ada = await atGateway(configUri, { gatewayMysql: { host: '127.0.0.1', port: 0 }, ...options });
  return { ...ada, connect: (more = {}) => open({ ...ada.login, ...more }) };
}

/** A connection whose end is no error of the process. */
export async function open(config: mysql.ConnectionOptions): Promise<mysql.Connection> {
  const connection = await mysql.createConnection(config);
  connection.on('error', () => undefined);
  return connection;
}

/** The connection of a client, to send what the client never would. */
export function streamOf(client: mysql.Connection): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
