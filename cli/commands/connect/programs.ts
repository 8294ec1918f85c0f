import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type DataSourceType, isLoopbackHost, type NewGatewayPassword } from '@rolecall/api';
import { CliError } from '../../errors.ts';
import type { Environment } from '../../process/io.ts';

/** Settings of a client, by the names of the variables that it reads. */
export type Variables = Readonly<Record<string, string>>;

/** A program that may be started. Lists of processes show its arguments, so they have no password. */
export interface Program {
  readonly name: string;
  readonly args: readonly string[];
}

/** A password for the gateway, and the type of the data source that it is for. */
export interface Made {
  readonly type: DataSourceType;
  readonly answer: NewGatewayPassword;
}

/** The beginning of the names of variables that clients of a type read; others of these names could lead elsewhere. */
export function prefixOf({ type }: Made): string {
  return type === 'postgresql' ? 'PG' : 'MYSQL_';
}

/** @throws CliError where there is no gateway */
export function variablesOf({ type, answer }: Made): Variables {
  const { gateway, user, database, password } = answer;
  if (gateway === null) throw new CliError('ERR_NO_GATEWAY', 'the service knows of no gateway');
  const { host } = gateway;
  const port = String(gateway.port);
  if (type !== 'postgresql') {
    return { MYSQL_HOST: host, MYSQL_TCP_PORT: port, MYSQL_USER: `${user}@${database}`, MYSQL_PWD: password };
  }
  // Channel binding proves that the server at the other end of the TLS connection knows the password.
  const encryption = { PGSSLMODE: 'require', PGCHANNELBINDING: 'require' };
  return {
    PGHOST: host,
    PGPORT: port,
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password,
    ...(isLoopbackHost(host) ? {} : encryption),
  };
}

/** The programs that may be there, the best first. */
export function programsFor(made: Made, env: Environment): readonly Program[] {
  if (made.type === 'postgresql') return [{ name: 'psql', args: [] }];
  const names = made.type === 'mariadb' ? ['mariadb', 'mysql'] : ['mysql', 'mariadb'];
  const variables = variablesOf(made);
  const host = variables['MYSQL_HOST'] ?? '';
  // Files with options come before the variables, and could lead elsewhere.
  const where = ['--no-defaults', `--host=${host}`, `--port=${variables['MYSQL_TCP_PORT']}`, '--protocol=tcp'];
  return names.map((name) => ({
    name,
    args: [
      ...where,
      `--user=${variables['MYSQL_USER']}`,
      ...(isLoopbackHost(host) ? tlsIfOffered(name) : tlsChecks(name, env)),
    ],
  }));
}

/** Newer clients of MariaDB do not connect without a certificate that they can check, unless they are told to. */
function tlsIfOffered(name: string): string[] {
  return isOfMariadb(name) ? ['--ssl', '--skip-ssl-verify-server-cert'] : [];
}

/** The two products share names of programs. */
function isOfMariadb(name: string): boolean {
  return /mariadb/i.test(spawnSync(name, ['--version'], { encoding: 'utf8' }).stdout);
}

/** Files in which systems keep the authorities that they trust: MySQL's client does not look there by itself. */
const authorities = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

/** Demands TLS with a certificate for this host. */
function tlsChecks(name: string, env: Environment): string[] {
  const isMariadb = isOfMariadb(name);
  const ofSystem = isMariadb ? undefined : authorities.find((file) => existsSync(file));
  const authority = env['NODE_EXTRA_CA_CERTS'] ?? ofSystem;
  const trusted = authority === undefined ? [] : [`--ssl-ca=${authority}`];
  return isMariadb ? ['--ssl', '--ssl-verify-server-cert', ...trusted] : ['--ssl-mode=VERIFY_IDENTITY', ...trusted];
}
