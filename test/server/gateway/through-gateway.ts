import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf, DataSourceDetail, Person } from '@rolecall/api';
import type { ServiceOptions } from '@rolecall/server';
import pg from 'pg';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { until } from '../person-api/in-editor.ts';
import { makers } from '../support/make.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { startTestService, type TestService, temporaryFolder } from '../support/service.ts';

export type AuditEntry = AnswerOf<'listAuditEntries'>[number];

/** Settings of a PostgreSQL server that logs every statement, as the witness of the audit trail. */
export const logsStatements = {
  log_statement: 'all',
  logging_collector: 'on',
  // One file: what is in another one would not be counted.
  log_rotation_size: '0',
  log_parameter_max_length: '100',
  log_line_prefix: '%a|',
  log_min_error_statement: 'panic',
};

/** A person who reaches a data source by a role, and has a password for the gateway of a service. */
export interface AtGateway {
  readonly service: TestService;
  readonly person: Person;
  readonly source: DataSourceDetail;
  readonly role: string;
  readonly session: SignedIn;
  /** What a client connects with. */
  readonly login: { host: string; port: number; user: string; database: string; password: string };
  /** The id of the password. */
  readonly passwordId: string;
}

/** The same, with node-postgres as the client. */
export interface ThroughGateway extends AtGateway {
  readonly connect: (more?: pg.ClientConfig) => Promise<pg.Client>;
}

/** @param configUri of the data source */
export async function throughGateway(
  configUri: string,
  options: Partial<ServiceOptions> = {},
): Promise<ThroughGateway> {
  const ada = await atGateway(configUri, { gatewayPostgresql: { host: '127.0.0.1', port: 0 }, ...options });
  return { ...ada, connect: (more = {}) => open({ ...ada.login, ...more }) };
}

/** @param options with a port of the gateway for the data source */
export async function atGateway(configUri: string, options: Partial<ServiceOptions>): Promise<AtGateway> {
  const service = await startTestService(options);
  const make = makers(service);
  const [person, source, role] = [await make.person(), await make.dataSource({ configUri }), await make.role()];
  await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
  await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
  const session = await signedIn(service, person.id, { kind: 'command_line' });
  const path = `/data-source/${source.id}/gateway-password`;
  const made = await session.ok('createGatewayPassword', 'POST', path, { json: {} });
  const { id: passwordId, user, database, password, gateway } = made;
  const login = { host: '127.0.0.1', port: gateway?.port ?? 0, user, database, password };
  return { service, person, source, role: role.id, session, login, passwordId };
}

/** What the audit trail has of the sessions at the gateway, in order. */
export async function gatewayEntries({ service }: AtGateway): Promise<AuditEntry[]> {
  const entries = await service.ok<AuditEntry[]>('GET', '/audit?limit=1000');
  return entries.filter(({ operation }) => operation === 'gateway');
}

/** How many runs of statements the audit trail has of the one session of a service, once that has ended. */
export async function auditedRuns(ada: AtGateway): Promise<number> {
  const changesOf = async () => (await gatewayEntries(ada)).flatMap(({ changes }) => changes);
  await until(async () => (await changesOf()).some(({ action }) => action === 'ended'));
  const runs = (await changesOf()).flatMap(({ after }) => (after?.['statements'] ?? []) as { runs: number }[]);
  return runs.reduce((sum, one) => sum + one.runs, 0);
}

/** The log of a server with the settings above. */
export async function serverLog(uri: string): Promise<string> {
  const admin = await open({ connectionString: uri });
  const { rows } = await admin.query<{ log: string }>('select pg_read_file(pg_current_logfile()) as log');
  await admin.end();
  return rows[0]?.log ?? '';
}

/** The statements in such a log, by the name under which their session began; of each, the first line. */
export function loggedStatements(log: string): Map<string, string[]> {
  const logged = new Map<string, string[]>();
  for (const line of log.matchAll(/^(\w+)\|LOG: {2}(?:statement|execute [^:]*|fastpath[^:]*): (.*)$/gm)) {
    const [, name = '', text = ''] = line;
    const ofName = logged.get(name) ?? [];
    ofName.push(text);
    logged.set(name, ofName);
  }
  return logged;
}

/** How many connections to a port of this machine are not probed while they are quiet, so that no one notices their end. */
export async function unprobed(port: number): Promise<number> {
  const connections = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const [established, keepAlive] = ['01', '02:'];
  const open = connections.filter(([, , to, state]) => to?.endsWith(remote) === true && state === established);
  return open.filter(([, , , , , timer]) => timer?.startsWith(keepAlive) !== true).length;
}

/** Sends bytes with a pause behind each part, and gives what comes back until the gateway closes the connection. */
export async function answerTo(port: number, ...parts: Buffer[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const closed = once(socket, 'close');
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  for (const part of parts) {
    socket.write(part);
    await sleep(20);
  }
  await Promise.race([
    closed,
    sleep(30_000, undefined, { ref: false }).then(() => assert.fail('the gateway leaves it open')),
  ]);
  return Buffer.concat(chunks).toString('latin1');
}

/** Starts with a certificate for `localhost`, that of an authority of its own, and gives that authority's, also as a file. */
export async function certified<T>(
  start: (tls: { certFile: string; keyFile: string }) => Promise<T>,
): Promise<T & { authority: string; caFile: string }> {
  const folder = await temporaryFolder();
  const { authority, certificate, key } = makeCertificates();
  const files = { certFile: path.join(folder, 'cert.pem'), keyFile: path.join(folder, 'key.pem') };
  const caFile = path.join(folder, 'ca.pem');
  await Promise.all([
    writeFile(files.certFile, certificate),
    writeFile(files.keyFile, key),
    writeFile(caFile, authority),
  ]);
  // The tests call the service by its address, which the certificate does not name.
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    return { ...(await start(files)), authority, caFile };
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  }
}

/** A connection whose end is no error of the process. */
export async function open(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
