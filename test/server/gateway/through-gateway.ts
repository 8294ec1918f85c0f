import type { AnswerOf, DataSourceDetail, Person } from '@rolecall/api';
import type { ServiceOptions } from '@rolecall/server';
import pg from 'pg';
import { makers } from '../support/make.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { startTestService, type TestService } from '../support/service.ts';

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

/** A connection whose end is no error of the process. */
export async function open(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
