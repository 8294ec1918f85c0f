import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import callbacks from 'mysql2';
import mysql from 'mysql2/promise';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { packet } from '../../support/wire.ts';
import { auditedRuns } from '../through-gateway.ts';
import { streamOf, throughGateway } from './through-gateway.ts';

const skipped = requires('mariadb');
const server = skipped.skip === false ? await startMariadb(['--general-log', '--log-output=TABLE']) : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

/** What a procedure may do. Each has variables `v` and `done`, the table `t`, and the parameters `given` and `o`. */
const statements = [
  "select given as a, 'text' as b",
  'select * from t order by i',
  'select repeat(i, 300) as r from t',
  'select 1 from t where false',
  'insert into t (s) values (given)',
  'insert into t (s) values (1), (2) returning i, s',
  "update t set s = concat(s, '!')",
  'delete from t where i > 3',
  'set o = given + 1',
  'set @seen = given',
  'select max(i) into v from t',
  'select f(given) as f',
  'select f(i) as f, s from t',
  'call inner_results(o)',
  'select * from nowhere',
  "signal sqlstate '45000' set message_text = 'mine', mysql_errno = 1243",
  "signal sqlstate '01000' set message_text = 'a warning'",
  'select 1 / 0 as w; show warnings',
  "prepare q from 'select ? as p, s from t'; execute q using @seen; deallocate prepare q",
  "execute immediate 'select 7 as seven'",
  'create or replace temporary table u as select i from t; select count(*) from u',
  'start transaction; insert into t (s) values (9); rollback',
  'do sleep(0)',
  'analyze table t',
  'explain select * from t',
  'check table t',
] as const;

/** Statements around others. */
const blocks: readonly ((inner: string) => string)[] = [
  (inner) => `begin ${inner} end;`,
  (inner) => `begin declare continue handler for sqlexception select 'continued' as h; ${inner} end;`,
  (inner) => `begin declare exit handler for sqlexception begin select 'left' as h; resignal; end; ${inner} end;`,
  (inner) => `begin declare exit handler for sqlexception get diagnostics condition 1 v = mysql_errno; ${inner} end;`,
  (inner) => `begin
    declare c cursor for select i from t; declare continue handler for not found set done = 1;
    open c; rows_of: loop fetch c into v; if done then leave rows_of; end if; ${inner} set done = 0;
    if v > 2 then leave rows_of; end if; end loop; close c; end;`,
  (inner) => `begin declare c cursor for select i, s from t; open c; ${inner} end;`,
  (inner) => `for r in (select i from t limit 2) do ${inner} end for;`,
  (inner) => `if given < 5 then ${inner} end if;`,
];

const body = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...statements).map((text) => `${text};`),
    fc
      .tuple(fc.constantFrom(...blocks), fc.array(tie('block'), { minLength: 1, maxLength: 3 }))
      .map(([make, inner]) => make(inner.join(' '))),
  ),
})).block;

const setUp = [
  'create or replace table t (i int primary key auto_increment, s varchar(200))',
  "insert into t (s) values ('a'), ('b'), ('c'), ('d')",
  'set @seen = 0, @o = null',
];
const shared = [
  'create or replace function f(x int) returns int begin declare n int; declare c cursor for select x + 1; open c; fetch c into n; return n; end',
  `create or replace procedure inner_results(inout o int) begin declare v int; declare c cursor for select i from t;
    open c; fetch c into v; select v as a; close c; select 2 as b; set o = v; end`,
];

/** A client that sees the bytes of what the server answers. */
class Bytes {
  readonly client: mysql.Connection;
  #got = '';
  #onMore: () => void = () => undefined;

  constructor(client: mysql.Connection) {
    this.client = client;
    const stream = streamOf(client);
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => {
      this.#got += chunk.toString('latin1');
      this.#onMore();
    });
    stream.once('close', () => {
      this.#onMore();
    });
  }

  /** Sends a command, and gives all that comes until another one behind it is answered. */
  async ask(command: Buffer | string): Promise<string> {
    const end = `the end ${randomBytes(8).toString('hex')}`;
    this.#got = '';
    const stream = streamOf(this.client);
    const bytes = Buffer.from(command as string, 'latin1');
    stream.write(Buffer.concat([packet(0, bytes), packet(0, `\x03select '${end}'`)]));
    const isOver = new RegExp(`${end}\x05\0\0\x05\xfe\0\0.\0$`, 's');
    while (!isOver.test(this.#got)) {
      if (stream.closed) return `${this.#got} and the end`;
      await new Promise<void>((resolve) => {
        this.#onMore = resolve;
      });
    }
    return this.#got.slice(0, this.#got.lastIndexOf('\x01\0\0\x01\x01'));
  }
}

/** A connection without MariaDB's additions to the protocol, which mysql2 asks for where a server has them. */
async function plain(config: mysql.ConnectionOptions): Promise<mysql.Connection> {
  const connecting = callbacks.createConnection(config);
  const { _command: handshake } = connecting as unknown as { _command: object };
  Object.defineProperty(handshake, 'mariadbExtendedClientFlags', { get: () => 0, set: () => undefined });
  await new Promise<void>((resolve, reject) => {
    connecting.connect((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  return connecting.promise();
}

/** Everything that is asked of one procedure. */
async function answersOf(bytes: Bytes, procedure: string): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const note = async (command: Buffer | string, name = String(command)): Promise<string> => {
    const answer = await bytes.ask(command);
    answers[`${Object.keys(answers).length} ${name}`] = answer;
    return answer;
  };
  for (const text of setUp) await bytes.ask(`\x03${text}`);
  await note(`\x03${procedure}`);
  await note('\x03call p(3, @o)');
  await note('\x03select 1; call p(4, @o); select @o; call p(4, @o); selec; select 2');
  const prepared = await note('\x16call p(?, ?)');
  const id = Buffer.from(prepared.slice(5, 9), 'latin1');
  for (const flags of [0, 1, 0]) {
    const [head, once] = [Buffer.from([0x17, ...id, flags]), Buffer.from([1, 0, 0, 0])];
    const values = Buffer.from([0, 1, 3, 0, 3, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    await note(Buffer.concat([head, once, values]), `execute with the flags ${flags}`);
    await note(Buffer.from([0x1c, ...id, 2, 0, 0, 0]), 'fetch');
    if (flags === 1) await note(Buffer.from([0x1a, ...id]), 'reset');
  }
  await bytes.ask(Buffer.from([0x19, ...id]));
  await note('\x04t\0');
  return answers;
}

describe('procedures of MariaDB', skipped, () => {
  it('give the same bytes through the gateway, whatever they do, and the trail has what the server has logged', async () => {
    const ada = await throughGateway(uri);
    // What the gateway does not offer changes how packets look.
    const flags = [
      '-DEPRECATE_EOF',
      '-CLIENT_QUERY_ATTRIBUTES',
      'MULTI_STATEMENTS',
      'MULTI_RESULTS',
      'PS_MULTI_RESULTS',
    ];
    const [direct, through] = [new Bytes(await plain({ uri, flags })), new Bytes(await ada.connect({ flags }))];
    const admin = await mysql.createConnection({ uri });
    const thread = /\x01(\d+)\x05\0\0/.exec(await through.ask('\x03select connection_id()'))?.[1];
    for (const text of shared) await admin.query(text);
    await fc.assert(
      fc.asyncProperty(body, async (inner) => {
        const procedure = `create or replace procedure p(given int, inout o int)
          begin declare v int; declare done int default 0; ${inner} end`;
        const expected = await answersOf(direct, procedure);
        assert.deepEqual(await answersOf(through, procedure), expected);
      }),
      { numRuns: propertyRuns({ quick: 60, all: 1000 }) },
    );
    const logged = `select count(*) as n from mysql.general_log where thread_id = ? and (command_type in ('Query', 'Init DB', 'Field List')
      or command_type = 'Execute' and argument like 'call p(%')`;
    const [rows] = await admin.query<mysql.RowDataPacket[]>(logged, [thread]);
    for (const { client } of [direct, through]) client.destroy();
    await admin.end();
    assert.equal(await auditedRuns(ada), Number(rows[0]?.['n']));
  });
});
