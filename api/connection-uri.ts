/** A data source's connection URI: which ones Rolecall accepts, how it parses them, and which parts it may show. */

import { asciiUri } from './ascii-domain.ts';

export const dataSourceTypes = ['postgresql', 'mysql', 'mariadb', 'sqlite'] as const;
export type DataSourceType = (typeof dataSourceTypes)[number];

export interface ConnectionUri {
  type: DataSourceType;
  /** Decoded; absent when the URI names none. */
  user?: string;
  /** Decoded; absent when the URI carries none. */
  password?: string;
  /** In ASCII, else as written; an IPv6 address without its brackets; absent for SQLite. */
  host?: string;
  /** Absent when the URI leaves it to the type's default. */
  port?: number;
  /** Decoded: the database's name, or the file's absolute path for SQLite. Empty when the URI names none. */
  database: string;
  parameters: Readonly<Record<string, string>>;
}

export class ConnectionUriError extends Error {
  override name = 'ConnectionUriError';
  readonly code = 'ERR_CONNECTION_URI';
}

type ParameterRules = Readonly<Record<string, RegExp>>;

const seconds = /^[1-9][0-9]{0,3}$/;
const sqlOptions: ParameterRules = {
  'ssl-mode': /^(disabled|preferred|required|verify_ca|verify_identity)$/,
  charset: /^(utf8mb4|utf8|latin1)$/,
  connect_timeout: seconds,
};

/**
 * The parameters that each type's URI may carry, with the values they may take. An allow-list, because drivers read
 * far more from a URI than a connection needs: node-postgres opens the files that `sslkey` and `sslcert` name and lets
 * `host` override the URI's own host.
 */
export const connectionParameters: Readonly<Record<DataSourceType, ParameterRules>> = {
  postgresql: {
    sslmode: /^(disable|prefer|require|verify-ca|verify-full)$/,
    application_name: /^[\x20-\x7e]{1,63}$/,
    connect_timeout: seconds,
  },
  mysql: sqlOptions,
  mariadb: sqlOptions,
  sqlite: { mode: /^(ro|rw)$/ },
};

export const defaultPorts: Readonly<Record<DataSourceType, number | undefined>> = {
  postgresql: 5432,
  mysql: 3306,
  mariadb: 3306,
  sqlite: undefined,
};

/** A rough check; `parseConnectionUri` does the rest. */
export const connectionUriPattern =
  /^((postgresql|mysql|mariadb):\/\/[^\s/?#]+(\/[^\s/?#]*)?|sqlite:\/\/\/[^\s?#]+)(\?[^\s#]*)?$/;

/** Letters, digits, dots, dashes and underscores, or an IPv6 address in brackets: no comma lists, no socket paths. */
const hostPattern = /^([A-Za-z0-9_]([A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])$/;

/**
 * Parses a connection URI.
 *
 * @param text the URI, at most 4,096 characters
 * @returns its decoded parts
 * @throws ConnectionUriError with what is wrong and the remedy. The message never repeats the URI, which may contain a
 *   password.
 */
export function parseConnectionUri(text: string): ConnectionUri {
  return takeApart(text, checkedParameters);
}

/**
 * Parses the connection URI in a service's answer, to which the service may have appended parameters (specification, Data
 * Source). It drops parameters that no definition can declare, but keeps a known parameter with an unknown value, so that
 * a comparison sees the difference.
 *
 * @throws ConnectionUriError as `parseConnectionUri` does, but never for a parameter
 */
export function readConnectionUri(text: string): ConnectionUri {
  return takeApart(text, knownParameters);
}

function takeApart(
  text: string,
  readParameters: (url: URL, type: DataSourceType) => Record<string, string>,
): ConnectionUri {
  if (text.length > 4096) throw new ConnectionUriError('is longer than 4,096 characters');
  const type = schemeOf(text);
  const url = toUrl(asciiUri(text), type);
  if (url.hash !== '' || text.includes('#')) {
    throw new ConnectionUriError('must not contain #; inside a user name or password write it as %23');
  }
  const parameters = readParameters(url, type);
  if (type === 'sqlite') return { type, database: sqlitePath(url), parameters };
  if (!hostPattern.test(url.hostname)) throw new ConnectionUriError(oneHost(type));
  if (url.port === '0') throw new ConnectionUriError(portRange);
  // Otherwise part of an unescaped password would pass for the host, port and database.
  if (url.pathname.includes('@')) throw misplaced('/', '%2F', 'and @ in a database name as %40');
  const database = decode(url.pathname.replace(/^\//, ''), 'database name');
  if (database.includes('/')) throw new ConnectionUriError('must have one database name after the host');
  return {
    type,
    ...(url.username === '' ? {} : { user: decode(url.username, 'user name') }),
    ...(url.password === '' ? {} : { password: decode(url.password, 'password') }),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    database,
    parameters,
  };
}

/** The inverse of `parseConnectionUri`. */
export function formatConnectionUri(uri: ConnectionUri): string {
  const query = Object.entries(uri.parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const path =
    uri.type === 'sqlite'
      ? uri.database.split('/').map(encodeURIComponent).join('/')
      : uri.database === ''
        ? ''
        : `/${encodeURIComponent(uri.database)}`;
  return `${uri.type}://${authority(uri)}${path}${query === '' ? '' : `?${query}`}`;
}

/** Keeps only what a list may show: scheme, user, host and port (specification, Data Source). */
export function redactConnectionUri(text: string): string {
  const { password: _hidden, ...shown } = parseConnectionUri(text);
  return `${shown.type}://${authority(shown)}`;
}

function authority({ user, password, host, port }: Omit<ConnectionUri, 'type' | 'database' | 'parameters'>): string {
  if (host === undefined) return '';
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  const login = user === undefined && secret === '' ? '' : `${encodeURIComponent(user ?? '')}${secret}@`;
  return `${login}${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;
}

function schemeOf(text: string): DataSourceType {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
  const type = dataSourceTypes.find((candidate) => candidate === scheme);
  if (type !== undefined) return type;
  throw new ConnectionUriError(
    scheme === undefined
      ? `must begin with one of ${dataSourceTypes.map((scheme) => `${scheme}://`).join(', ')}`
      : `has the scheme ${scheme}; it must be one of ${dataSourceTypes.join(', ')}`,
  );
}

function toUrl(text: string, type: DataSourceType): URL {
  // The URL parser drops tabs, line breaks and outer spaces, so the URI that is stored would not be the one that was checked.
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0x20 || code === 0x7f) throw new ConnectionUriError('must not contain spaces or control characters');
  }
  if (!URL.canParse(text)) throw new ConnectionUriError(type === 'sqlite' ? sqliteForm : whyNoUrl(text, type));
  return new URL(text);
}

/** The URL parser does not say what is wrong. A wrong host or port gets a message of its own, since encoding does not help. */
function whyNoUrl(text: string, type: DataSourceType): string {
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)(.*)$/.exec(text) ?? [];
  const server = authority.slice(authority.lastIndexOf('@') + 1);
  // If an @ follows, the authority is the beginning of a password.
  if (!rest.includes('@')) {
    if (server.includes(',')) return oneHost(type);
    const port = /^(?:[^:[\]]+|\[[^\]]*\]):([0-9]+)$/.exec(server)?.[1];
    if (Number(port ?? 0) > 65535) return portRange;
  }
  return `is not a URI; write ${type}://user@host:port/database and percent-encode special characters`;
}

const oneHost = (type: DataSourceType): string =>
  `must name one host, as in ${type}://user@host:${defaultPorts[type] ?? 0}/database`;

const portRange = 'must have a port from 1 to 65535';

function sqlitePath(url: URL): string {
  if (url.host !== '' || url.username !== '') {
    throw new ConnectionUriError(sqliteForm);
  }
  const path = decode(url.pathname, 'file path');
  if (path === '' || path.endsWith('/')) {
    throw new ConnectionUriError('must name a file, as in sqlite:///data/reports.db');
  }
  // The URL parser has resolved these, except where an encoded slash hid them.
  if (/\/\.\.?(\/|$)/.test(path)) throw new ConnectionUriError('must not have . or .. in its file path');
  return path;
}

const sqliteForm = 'must have three slashes before the file, as in sqlite:///data/reports.db';

function misplaced(character: string, code: string, more: string): ConnectionUriError {
  return new ConnectionUriError(
    `has a ${character} before an @; inside a user name or password write it as ${code}, ${more}`,
  );
}

function knownParameters(url: URL, type: DataSourceType): Record<string, string> {
  const names = Object.keys(connectionParameters[type]).filter((name) => url.searchParams.has(name));
  return Object.fromEntries(names.map((name) => [name, url.searchParams.get(name) ?? '']));
}

function checkedParameters(url: URL, type: DataSourceType): Record<string, string> {
  const rules = connectionParameters[type];
  const parameters: Record<string, string> = {};
  for (const [name, value] of url.searchParams) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      // The name may be part of a password, so the message does not repeat it.
      if (url.search.includes('@')) throw misplaced('?', '%3F', 'and @ in a parameter as %40');
      throw new ConnectionUriError(
        `has the parameter ${JSON.stringify(name)}, which ${type} data sources do not support; use ${Object.keys(rules).join(', ')}`,
      );
    }
    if (Object.hasOwn(parameters, name)) throw new ConnectionUriError(`has the parameter ${name} twice`);
    if (!rule.test(value)) {
      throw new ConnectionUriError(`has an invalid value for the parameter ${name}; ${describeRule(rule)}`);
    }
    parameters[name] = value;
  }
  return parameters;
}

/** Each rule is a list of choices, a number of seconds, or a short text. */
function describeRule(rule: RegExp): string {
  if (rule === seconds) return 'write whole seconds, from 1 to 9999';
  const choices = /^\^\(([\w|-]+)\)\$$/.exec(rule.source)?.[1];
  return choices === undefined
    ? 'write 1 to 63 printable ASCII characters'
    : `write one of ${choices.replaceAll('|', ', ')}`;
}

function decode(text: string, what: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // Falls through to the same error.
  }
  throw new ConnectionUriError(`has a ${what} that is not valid percent-encoding`);
}
