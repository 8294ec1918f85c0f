import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { after, describe, it } from 'node:test';
import {
  bind,
  close,
  copyFail,
  describeStatement,
  execute,
  parse,
  query,
  sync,
  terminate,
} from '../../../server/protocols/postgresql/requests.ts';
import { startMariadb } from '../../support/databases/mariadb.ts';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { message, packet } from '../support/wire.ts';
import { type Fuzzed, fuzz } from './fuzz.ts';
import { throughGateway as throughMysql } from './mysql/through-gateway.ts';
import { throughGateway } from './through-gateway.ts';

/** Nothing reads it but what comes is thrown away, so that it can close. */
function taken(stream: Duplex): Duplex {
  stream.removeAllListeners('data');
  return stream.on('data', () => undefined).on('error', () => undefined);
}

/** @param uri of the data source */
async function fuzzedPostgresql(uri: string): Promise<Fuzzed> {
  const ada = await throughGateway(uri);
  const extended = Buffer.concat([
    parse.encode('s', 'select $1::text'),
    bind.encode('p', 's', [], ['a']),
    describeStatement.encode('s'),
    execute.encode('p'),
    close.encode('portal', 'p'),
    close.encode('statement', 's'),
    sync,
  ]);
  const messages = [
    query.encode('select 1; select 2'),
    query.encode('select i from generate_series(1, 1000) i'),
    query.encode('create temp table t (i int); copy t from stdin'),
    query.encode('copy (select 1) to stdout'),
    query.encode('begin; select 1 / 0'),
    query.encode('listen a; notify a'),
    query.encode("do $$ begin raise notice 'told'; end $$"),
    parse.encode('', 'selec'),
    message('d', '1\n'),
    message('c'),
    copyFail.encode('no'),
    message('H'),
    message('F', '\0\0\0\x01\0\0\0\0\0\0'),
    extended,
    sync,
    terminate,
  ];
  return {
    logIn: async () => taken((await ada.connect()).connection.stream),
    messages,
    check: async () => {
      const client = await ada.connect();
      assert.deepEqual((await client.query('select $1::int as a', [7])).rows, [{ a: 7 }]);
      await client.end();
    },
  };
}

/** @param uri of the data source */
async function fuzzedMysql(uri: string): Promise<Fuzzed> {
  const ada = await throughMysql(uri);
  const bodies = [
    '\x01',
    '\x02rolecall',
    '\x03select 1',
    '\x03select seq from seq_1_to_1000',
    '\x03select 1; select 2; selec',
    '\x03kill query 1073741825',
    '\x04t\0',
    '\x08',
    '\x09',
    '\x0e',
    '\x11ada\0',
    '\x16select ?',
    '\x17\x01\0\0\0\0\x01\0\0\0',
    '\x18\x01\0\0\0\0\0abc',
    '\x19\x01\0\0\0',
    '\x1a\x01\0\0\0',
    '\x1b\0\0',
    '\x1c\x01\0\0\0\x05\0\0\0',
    '\x1f',
  ];
  return {
    logIn: async () => {
      const client = await ada.connect({ multipleStatements: true });
      // mysql2 keeps its stream, which its types do not have.
      return taken((client as unknown as { connection: { stream: Duplex } }).connection.stream);
    },
    messages: bodies.map((body) => packet(0, body)),
    check: async () => {
      const client = await ada.connect();
      assert.deepEqual((await client.execute('select ? + 1 as a', [6]))[0], [{ a: 7 }]);
      await client.end();
    },
  };
}

/** Tests both protocols, each for some seconds. */
export function describeFuzz(seconds: number): void {
  describe(`the gateway, for ${seconds} seconds among clients that say anything`, () => {
    it('goes on, in bounded memory, for PostgreSQL', requires('postgresql'), async () => {
      const server = await startPostgres();
      after(() => server.stop());
      await fuzz(await fuzzedPostgresql(server.uri), seconds);
    });

    it('goes on, in bounded memory, for MySQL', requires('mariadb'), async () => {
      const server = await startMariadb();
      after(() => server.stop());
      await fuzz(await fuzzedMysql(server.uri), seconds);
    });
  });
}
