import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import mysql from 'mysql2/promise';
import { query } from '../../../../server/protocols/mysql/requests.ts';
import { startMariadb } from '../../../support/databases/mariadb.ts';
import { requires } from '../../../support/databases/parts.ts';
import { until } from '../../person-api/in-editor.ts';
import { type ThroughGateway, throughGateway } from './through-gateway.ts';

const skipped = requires('mariadb');
const server = skipped.skip === false ? await startMariadb() : undefined;
const uri = server?.uri ?? '';
const admin = server === undefined ? undefined : await mysql.createConnection({ uri });
admin?.on('error', () => undefined);
after(async () => {
  admin?.destroy();
  await server?.stop();
});

/** How many statements of the gateway the server works on. */
async function running(): Promise<number> {
  const sql = `select count(*) as n from information_schema.processlist
    where id <> connection_id() and info like '%seq_1_to_%'`;
  const [rows] = (await admin?.query<mysql.RowDataPacket[]>(sql)) ?? [[]];
  return Number(rows[0]?.['n']);
}

/** A result of many gigabytes. */
const endless = (rowLength: number): string => `select repeat('x', ${rowLength}) from seq_1_to_1000000000`;

/** Asks for a result, and reads its bytes itself. Pause the stream, and it does not read. */
async function ask(ada: ThroughGateway, sql: string): Promise<{ stream: Socket; ending: Ending }> {
  const client = await ada.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const ending = new Ending();
  stream.removeAllListeners('data');
  stream.on('data', (chunk: Buffer) => {
    ending.take(chunk);
  });
  stream.on('error', () => undefined);
  stream.write(query.encode(sql));
  await until(() => ending.packets > 10);
  return { stream, ending };
}

/** Follows packets to the end of the connection. */
class Ending {
  packets = 0;
  /** The header of the last packet and what follows it, as far as it has come; at most as long as an error. */
  #last = Buffer.alloc(0);
  /** How much of the last packet has not come. */
  #left = 0;

  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        this.packets += 1;
        this.#last = Buffer.alloc(0);
        this.#left = 4;
      }
      const part = chunk.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#last.length < longestError) this.#last = Buffer.concat([this.#last, part.subarray(0, longestError)]);
      if (this.#left === 0 && this.#last.length === 4) this.#left = this.#last.readUIntLE(0, 3);
    }
  }

  get isCutOff(): boolean {
    return this.#left > 0;
  }

  /** Whether the last packet says that the result is over. Its first byte is that of no row of these tests. */
  get isWhole(): boolean {
    return !this.isCutOff && this.#last[4] === 0xfe;
  }

  /** The number of the error that came last, if one did. */
  get error(): number | undefined {
    return !this.isCutOff && this.#last[4] === 0xff ? this.#last.readUInt16LE(5) : undefined;
  }
}

const longestError = 600;

/** Ends the access. @returns once the server works on nothing any more */
async function lockOut({ service, person }: ThroughGateway): Promise<void> {
  assert.equal(await running(), 1);
  await service.ok('PUT', `/person/${person.id}/lock`);
  const since = performance.now();
  await until(async () => (await running()) === 0);
  const took = performance.now() - since;
  assert.ok(took < 1000, `the statement ran for ${took} ms more`);
}

/** Fails if the connection stays open. */
async function closes(stream: Socket): Promise<void> {
  if (!stream.destroyed) await once(stream, 'close', { signal: AbortSignal.timeout(60_000) });
}

async function reasonIn({ service }: ThroughGateway): Promise<unknown> {
  let reason: unknown;
  await until(async () => {
    const entries = await service.ok<{ changes: { action: string; after?: { reason?: unknown } }[] }[]>(
      'GET',
      '/audit?limit=1000',
    );
    const ended = entries.flatMap(({ changes }) => changes).find(({ action }) => action === 'ended');
    reason = ended?.after?.reason;
    return ended !== undefined;
  });
  return reason;
}

describe('a large result of MySQL through the gateway', skipped, () => {
  for (const [rows, length] of Object.entries({ 'small rows': 1000, 'rows above 64 KiB': 1_000_000 })) {
    for (const speed of ['at full speed', 'late', 'not at all']) {
      it(`is cut when the access ends: ${rows}, read ${speed}`, async () => {
        const ada = await throughGateway(uri);
        const { stream, ending } = await ask(ada, endless(length));
        if (speed !== 'at full speed') {
          stream.pause();
          // The buffers on the way are full.
          const written = async (): Promise<string> => {
            const sql =
              "select variable_value as n from information_schema.global_status where variable_name = 'Bytes_sent'";
            const [found] = (await admin?.query<mysql.RowDataPacket[]>(sql)) ?? [[]];
            return String(Math.floor(Number(found[0]?.['n']) / 50_000));
          };
          let before = '';
          await until(async () => {
            const now = await written();
            const isStill = now === before;
            before = now;
            return isStill;
          });
        }
        const closed = speed === 'not at all' ? undefined : closes(stream);
        await lockOut(ada);
        assert.match(String(await reasonIn(ada)), /your account is locked/);
        if (closed === undefined) {
          stream.destroy();
          return;
        }
        stream.resume();
        await closed;
        assert.ok(ending.isCutOff || ending.error === 1927, 'the result ends with a row');
      });
    }
  }

  it('fails for the command line of MariaDB, too', async () => {
    const ada = await throughGateway(uri);
    const { host, port, user, database, password } = ada.login;
    const args = ['--no-defaults', '--protocol=tcp', `--host=${host}`, `--port=${port}`, `--user=${user}@${database}`];
    const client = spawn('mariadb', [...args, '--quick', '-e', endless(100)], {
      env: { ...process.env, MYSQL_PWD: password },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const closed = once(client, 'close');
    const said = text(client.stderr);
    await until(async () => (await running()) === 1);
    await lockOut(ada);
    await closed;
    assert.equal(client.exitCode, 1);
    assert.match(await said, /ERROR (1927.*your account is locked|2013.*Lost connection)/);
  });

  it('ends with its connection when the server is killed', async () => {
    const other = await startMariadb();
    const ada = await throughGateway(other.uri);
    const { stream, ending } = await ask(ada, endless(100));
    const closed = closes(stream);
    const [[files]] = await (await mysql.createConnection({ uri: other.uri })).query<mysql.RowDataPacket[]>(
      'select @@pid_file as pid',
    );
    process.kill(Number(await readFile(String(files?.['pid']), 'utf8')), 'SIGKILL');
    await closed;
    // The server may have died between two rows.
    assert.ok(!ending.isWhole, 'the result looks whole');
    assert.match(String(await reasonIn(ada)), /the server closed the connection|ECONNRESET/);
    await other.stop();
  });
});
