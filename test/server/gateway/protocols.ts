import type { Duplex } from 'node:stream';
import { after } from 'node:test';
import type { ServiceOptions } from '@rolecall/server';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { protocol3 } from '../../../server/protocols/postgresql/startup.ts';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../support/databases/server.ts';
import { packet, startPacket } from '../support/wire.ts';
import { streamOf, throughGateway as throughMysql } from './mysql/through-gateway.ts';
import { type AtGateway, throughGateway as throughPostgresql } from './through-gateway.ts';

/** What a client is told: PostgreSQL's SQLSTATE, or MySQL's number. */
export interface Failure {
  readonly message: string;
  readonly code: string | number | undefined;
}

/** A client of either protocol. */
export interface Client {
  /** @param values of parameters; with them, the statement is prepared */
  readonly rows: (sql: string, values?: readonly (number | string)[]) => Promise<Record<string, unknown>[]>;
  readonly failure: (sql: string) => Promise<Failure>;
  readonly end: () => Promise<void>;
  /** Its connection, to send what the client never would, or to end it in the middle of whatever it does. */
  readonly stream: Duplex;
  /** The error by which it learns, outside a statement, that its session has ended. */
  readonly lost: Promise<Error>;
}

/** What a test does over each protocol, with the words that the servers have for it. */
export interface Protocol {
  /** As the requirements of tests name its server. */
  readonly name: 'postgresql' | 'mariadb';
  /** Lets 250 clients in. @param files its certificate and key, for TLS: server.pem and server.key */
  readonly start: (files?: Readonly<Record<string, string>>) => Promise<DatabaseServer>;
  /** Connects without the gateway. */
  readonly direct: (server: DatabaseServer) => Promise<Client>;
  readonly through: (
    uri: string,
    options?: Partial<ServiceOptions>,
  ) => Promise<AtGateway & { connect: (name?: string) => Promise<Client> }>;
  /** How a URI asks for TLS: of any server, and of one whose certificate is checked. */
  readonly tls: { readonly any: string; readonly checked: string };
  /** Whether the connection of a session to its server is encrypted. */
  readonly encrypted: string;
  /** How many sessions run a statement that has this text in it. */
  readonly running: (text: string) => string;
  /** How many connections there are beside the one that asks. */
  readonly connected: string;
  readonly sleep: (seconds: number) => string;
  /** An option of a URI that changes nothing for these tests. */
  readonly someOption: string;
  /** 10,000 rows of 100 kB each. */
  readonly largeRows: string;
  /** How many sessions wait for clients that do not read `largeRows`. */
  readonly blocked: string;
  /** What a client may begin with. */
  readonly firstPacket: (body: Buffer) => Buffer;
  /** Rows of 100 kB each that come for an hour. */
  readonly slowRows: string;
  /** Numbers from 1 on. */
  readonly numbers: (count: number) => string;
  /** What ends a session from outside. */
  readonly cutCode: string | number;
}

const postgresql: Protocol = {
  name: 'postgresql',
  start: (files) =>
    startPostgres(
      { max_connections: '250', ...(files && { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' }) },
      files,
    ),
  direct: async ({ uri }) => {
    const client = new pg.Client({ connectionString: uri });
    await client.connect();
    return ofPostgresql(client);
  },
  through: async (uri, options) => {
    const ada = await throughPostgresql(uri, options);
    return { ...ada, connect: async (name) => ofPostgresql(await ada.connect({ application_name: name })) };
  },
  tls: { any: 'sslmode=require', checked: 'sslmode=verify-full' },
  encrypted: 'select ssl as encrypted from pg_stat_ssl where pid = pg_backend_pid()',
  running: (text) =>
    `select count(*)::int as n from pg_stat_activity where pid <> pg_backend_pid() and state = 'active' and query like '%${text}%'`,
  connected:
    "select count(*)::int as n from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
  sleep: (seconds) => `select pg_sleep(${seconds}) is null as a`,
  someOption: 'application_name=moved',
  largeRows: "select repeat('x', 100000) from generate_series(1, 10000)",
  blocked:
    "select count(*)::int as n from pg_stat_activity where query like 'select repeat%' and wait_event = 'ClientWrite'",
  firstPacket: (body) => startPacket(protocol3, body),
  slowRows: "select pg_sleep(0.01), repeat('x', 100000) from generate_series(1, 360000)",
  numbers: (count) => `generate_series(1, ${count}) as numbers(n)`,
  cutCode: '57P01',
};

const mariadb: Protocol = {
  name: 'mariadb',
  start: (files) =>
    startMariadb(
      ['--max-connections=250', ...(files ? ['--ssl-cert={folder}/server.pem', '--ssl-key={folder}/server.key'] : [])],
      files,
    ),
  direct: async ({ uri }) => ofMysql(await mysql.createConnection({ uri })),
  through: async (uri, options) => {
    const ada = await throughMysql(uri, options);
    return {
      ...ada,
      connect: async (name) =>
        ofMysql(await ada.connect(name === undefined ? {} : { connectAttributes: { program_name: name } })),
    };
  },
  tls: { any: 'ssl-mode=required', checked: 'ssl-mode=verify_identity' },
  encrypted: `select variable_value <> '' as encrypted from information_schema.session_status where variable_name = 'Ssl_cipher'`,
  running: (text) =>
    `select count(*) as n from information_schema.processlist where id <> connection_id() and info like '%${text}%'`,
  connected:
    "select count(*) as n from information_schema.processlist where id <> connection_id() and user = 'rolecall'",
  sleep: (seconds) => `select sleep(${seconds}) <> 0 as a`,
  someOption: 'charset=latin1',
  largeRows: "select repeat('x', 100000) from seq_1_to_10000",
  blocked:
    "select count(*) as n from information_schema.processlist where info like 'select repeat%' and state = 'Writing to net'",
  firstPacket: (body) => packet(1, body),
  slowRows: "select sleep(0.01), repeat('x', 100000) from seq_1_to_360000",
  numbers: (count) => `(select seq as n from seq_1_to_${count}) as numbers`,
  cutCode: 1927,
};

export const protocols: readonly Protocol[] = [postgresql, mariadb];

function ofPostgresql(client: pg.Client): Client {
  return {
    rows: async (sql, values) => (await client.query<Record<string, unknown>>(sql, values && [...values])).rows,
    failure: (sql) => failureOf(client.query(sql)),
    end: () => client.end(),
    stream: client.connection.stream,
    lost: new Promise((resolve) => client.once('error', resolve)),
  };
}

function ofMysql(client: mysql.Connection): Client {
  return {
    rows: async (sql, values) => {
      const asked = values === undefined ? client.query(sql) : client.execute(sql, [...values]);
      const [rows] = (await asked) as [mysql.RowDataPacket[], unknown];
      return rows.map((row) => ({ ...row }));
    },
    failure: (sql) => failureOf(client.query(sql)),
    end: () => client.end(),
    stream: streamOf(client),
    lost: new Promise((resolve) => client.once('error', resolve)),
  };
}

/** @throws Error if it does not fail */
export async function failureOf(asked: Promise<unknown>): Promise<Failure> {
  const error = await asked.then(
    () => new Error('it went through'),
    (reason: unknown) => reason as Error & { code?: string; errno?: number },
  );
  if (!('code' in error)) throw error;
  return { message: error.message, code: error.errno ?? error.code };
}

/** The server of a suite, which stops after it: `skipped` where it is not installed. */
export async function useServer(protocol: Protocol) {
  const skipped = requires(protocol.name);
  const server = skipped.skip === false ? await protocol.start() : undefined;
  const admin = server && (await protocol.direct(server));
  after(async () => {
    await admin?.end();
    await server?.stop();
  });
  /** The number that a statement gives, asked without the gateway. */
  const count = async (sql: string): Promise<number> => Number((await admin?.rows(sql))?.[0]?.['n']);
  return { skipped, uri: server?.uri ?? '', count };
}
