import { type DataSourceType, isLoopbackHost } from '@rolecall/api';
import type { GatewayAddress } from './index.ts';

/** What a person logs in to the gateway with. */
export interface GatewayLogin {
  readonly gateway: GatewayAddress;
  readonly user: string;
  readonly database: string;
  readonly password: string;
}

/** What people copy into their clients. */
export interface ClientSettings {
  /** A connection URI, with the password. */
  readonly uri: string;
  /** A URL for JDBC, with the password. */
  readonly jdbc: string;
  /** A command of a shell, which asks for the password: lists of processes and histories show commands. */
  readonly command: string;
}

/** @returns undefined for a type of data sources that no gateway speaks */
export function clientSettings(type: DataSourceType, login: GatewayLogin): ClientSettings | undefined {
  if (type !== 'postgresql') return undefined;
  const { user, password } = login;
  const place = placeOf(login);
  // Channel binding proves that the server at the other end of the TLS connection knows the password.
  const parameters = (binding: string): string[] =>
    isLoopback(login.gateway.host) ? [] : ['sslmode=require', `${binding}=require`];
  const named = (login: string): string => `postgresql://${login}@${place}${query(parameters('channel_binding'))}`;
  return {
    uri: named(`${encode(user)}:${encode(password)}`),
    jdbc: `jdbc:postgresql://${place}${query([
      `user=${encode(user)}`,
      `password=${encode(password)}`,
      ...parameters('channelBinding'),
    ])}`,
    command: `psql '${named(encode(user))}'`,
  };
}

function placeOf({ gateway: { host, port }, database }: GatewayLogin): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${encode(database)}`;
}

function query(parameters: readonly string[]): string {
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

/** Leaves no character that a shell gives a meaning to: people paste the result. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function isLoopback(host: string): boolean {
  return isLoopbackHost(host.includes(':') ? `[${host}]` : host);
}
