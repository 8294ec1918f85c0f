import { type DataSourceType, isLoopbackHost } from '@rolecall/api';
import type { GatewayAddress } from './index.ts';

/** Address, names and password with which a person logs in to the gateway. */
export interface GatewayLogin {
  readonly gateway: GatewayAddress;
  readonly user: string;
  readonly database: string;
  readonly password: string;
}

/** Settings that people copy into their clients. */
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
  if (type === 'sqlite') return undefined;
  return type === 'postgresql' ? postgresqlSettings(login) : mysqlSettings(type, login);
}

function postgresqlSettings(login: GatewayLogin): ClientSettings {
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

/** The data source is named with the user, so that clients take it for no database of the server. */
function mysqlSettings(type: 'mysql' | 'mariadb', { gateway, user, database, password }: GatewayLogin): ClientSettings {
  const named = `${user}@${database}`;
  const isChecked = !isLoopback(gateway.host);
  // MariaDB's driver takes the @ only as it is.
  const login = [`user=${encode(named).replaceAll('%40', '@')}`, `password=${encode(password)}`];
  const mode = type === 'mariadb' ? 'verify-full' : 'VERIFY_IDENTITY';
  const place = `${hostOf(gateway)}:${gateway.port}/`;
  const checks = isChecked ? ['--ssl', '--ssl-verify-server-cert'] : [];
  const command = type === 'mariadb' ? checks : checks.slice(0, 1).map(() => '--ssl-mode=VERIFY_IDENTITY');
  return {
    uri: `mysql://${encode(named)}:${encode(password)}@${place}${query(isChecked ? ['ssl-mode=VERIFY_IDENTITY'] : [])}`,
    jdbc: `jdbc:${type}://${place}${query([...login, ...(isChecked ? [`sslMode=${mode}`] : [])])}`,
    command: [type, `-h ${gateway.host}`, `-P ${gateway.port}`, `-u ${quoted(named)}`, ...command, '-p'].join(' '),
  };
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function placeOf({ gateway, database }: GatewayLogin): string {
  return `${hostOf(gateway)}:${gateway.port}/${encode(database)}`;
}

function hostOf({ host }: GatewayAddress): string {
  return host.includes(':') ? `[${host}]` : host;
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
