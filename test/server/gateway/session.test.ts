import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Memory, MemoryShare } from '../../../server/gateway/memory.ts';
import { MysqlConversation } from '../../../server/gateway/mysql/conversation.ts';
import { fatalPacket } from '../../../server/gateway/mysql/errors.ts';
import { PostgresConversation } from '../../../server/gateway/postgresql/conversation.ts';
import type { Conversation } from '../../../server/gateway/protocol.ts';
import { Session } from '../../../server/gateway/session.ts';
import { Statements } from '../../../server/gateway/statements.ts';
import { FatalError } from '../../../server/protocols/fatal-error.ts';
import { errorResponse } from '../../../server/protocols/postgresql/answers.ts';
import { copyFail, query, terminate } from '../../../server/protocols/postgresql/requests.ts';
import { until } from '../person-api/in-editor.ts';
import { message, packet } from '../support/wire.ts';
import { ownWays } from './mysql/own-ways.ts';

const digest = (text: string) => ({ characters: text.length, digest: text });
const share = () => new MemoryShare(new Memory(), 'ada');
const error = new FatalError('57P01', 'your access ended');
const long = 'x'.repeat(100);

/** A statement in each protocol: the request, its answer up to a row, what comes after that row, and the end of the session. */
interface Exchange {
  readonly follow: (statements: Statements) => Conversation;
  readonly request: Buffer;
  readonly untilRow: Buffer;
  readonly more: readonly Buffer[];
  readonly farewell: Buffer;
  /** What a client says before it leaves. */
  readonly goodbye: Buffer;
}

const exchanges: Record<string, Exchange> = {
  PostgreSQL: {
    follow: (statements) => new PostgresConversation(statements, digest, share()),
    request: query.encode('select 1'),
    untilRow: Buffer.concat([message('T', '\0\0'), message('D', long)]),
    more: [message('D', long), message('C', 'SELECT 2\0'), message('Z', 'I')],
    farewell: errorResponse.encode(error),
    goodbye: terminate,
  },
  MySQL: {
    follow: (statements) => new MysqlConversation(statements, digest, share(), ownWays),
    request: packet(0, '\x03select 1'),
    untilRow: Buffer.concat([packet(1, '\x01'), packet(2, long), packet(3, '\xfe\0\0\x02\0'), packet(4, long)]),
    more: [packet(5, long), packet(6, '\xfe\0\0\x02\0')],
    farewell: fatalPacket(5, error),
    goodbye: packet(0, '\x01'),
  },
};

/** A session whose client and server the test plays. */
function open({ follow }: Exchange) {
  const [client, clientSide] = duplexPair();
  const [server, stream] = duplexPair();
  const statements = new Statements();
  const stops: number[] = [];
  const upstream = {
    stream,
    goodbye: Buffer.from('goodbye'),
    stop: (sinceMs: number) => {
      stops.push(sinceMs);
      return Promise.resolve();
    },
    close: () => undefined,
  };
  const sight = { isBlind: false };
  const session = new Session(clientSide, upstream, follow(statements), () => sight.isBlind);
  const ended = new Promise<string>((resolve) => {
    session.start({ added: () => undefined, isBehind: () => false }, resolve);
  });
  return {
    session,
    sight,
    client,
    clientSide,
    server,
    stream,
    stops,
    ended,
    statements,
    seen: gathered(client),
    asked: gathered(server),
  };
}

/** What comes out of a stream. */
function gathered(stream: Duplex): () => Buffer {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  return () => Buffer.concat(chunks);
}

for (const [protocol, exchange] of Object.entries(exchanges)) {
  describe(`a session of ${protocol}`, () => {
    it('is cut behind a whole message, wherever it is, and drops what comes after it', async () => {
      const { untilRow, more, request, farewell } = exchange;
      for (let at = 1; at < 100; at += 7) {
        const { session, client, server, ended, seen, asked } = open(exchange);
        client.write(request);
        await until(() => asked().length === request.length);
        server.write(untilRow.subarray(0, untilRow.length - at));
        await until(() => seen().length === untilRow.length - at);
        const cutting = session.cut(error);
        // In pieces that end in the middle of messages.
        const rest = Buffer.concat([untilRow.subarray(untilRow.length - at), ...more]);
        for (let from = 0; from < rest.length; from += 70) server.write(rest.subarray(from, from + 70));
        await cutting;
        assert.equal(await ended, error.message);
        await until(() => client.readableEnded);
        assert.deepEqual(seen(), Buffer.concat([untilRow, farewell]), `cut ${at} bytes before the end of a row`);
      }
    });

    it('asks the server again and again to stop, until it has, even if the client is gone', async () => {
      const { client, server, stops, ended, asked } = open(exchange);
      client.write(exchange.request);
      await until(() => asked().length === exchange.request.length);
      client.end();
      await until(() => stops.length >= 3);
      assert.ok((stops[0] ?? 0) < (stops[1] ?? 0));
      server.write(Buffer.concat([exchange.untilRow, ...exchange.more]));
      assert.equal(await ended, 'the client closed the connection');
      const { length } = stops;
      await until(() => asked().toString().endsWith('goodbye'));
      assert.equal(stops.length, length);
    });

    it('lets the server complete what the client asked for before it said that it leaves', async () => {
      const { client, server, stops, ended, asked, seen } = open(exchange);
      client.write(Buffer.concat([exchange.request, exchange.goodbye]));
      client.end();
      await until(() => asked().length === exchange.request.length + exchange.goodbye.length);
      server.write(exchange.untilRow);
      await until(() => seen().length === exchange.untilRow.length);
      for (const part of exchange.more) server.write(part);
      assert.equal(await ended, 'the client left');
      assert.deepEqual(stops, []);
      await until(() => server.readableEnded);
      assert.deepEqual(asked(), Buffer.concat([exchange.request, exchange.goodbye]), 'one goodbye');
    });

    it('lets it complete that, too, where the connection is gone at once', async () => {
      const { client, clientSide, server, stops, ended, asked } = open(exchange);
      client.write(Buffer.concat([exchange.request, exchange.goodbye]));
      await until(() => asked().length === exchange.request.length + exchange.goodbye.length);
      clientSide.destroy();
      for (const part of [exchange.untilRow, ...exchange.more]) {
        await turn();
        server.write(part);
      }
      assert.equal(await ended, 'the client left');
      assert.deepEqual(stops, []);
    });

    it('is cut although the client has said that it leaves', async () => {
      const { session, client, server, stops, ended, asked } = open(exchange);
      client.write(Buffer.concat([exchange.request, exchange.goodbye]));
      await until(() => asked().length === exchange.request.length + exchange.goodbye.length);
      const cutting = session.cut(error);
      await until(() => stops.length > 0);
      server.write(Buffer.concat([exchange.untilRow, ...exchange.more]));
      await cutting;
      assert.equal(await ended, error.message);
    });

    it('passes nothing on while it is not known whether the access goes on, and all of it once that is known', async () => {
      const { session, sight, client, server, asked, seen } = open(exchange);
      const { request, untilRow } = exchange;
      for (const [from, to, sent, passed] of [
        [client, server, request, asked],
        [server, client, untilRow, seen],
      ] as const) {
        sight.isBlind = true;
        const [first, second] = [Buffer.from(sent.subarray(0, 3)), Buffer.from(sent.subarray(3))];
        from.write(first);
        for (let turns = 0; turns < 5; turns += 1) await turn();
        // A socket is read into the same bytes again.
        first.fill(0xee);
        from.write(second);
        for (let turns = 0; turns < 5; turns += 1) await turn();
        session.resume();
        assert.equal(passed().length, 0);
        sight.isBlind = false;
        session.resume();
        await until(() => passed().length === sent.length);
        assert.deepEqual(passed(), sent);
        assert.ok(to.readable);
      }
    });

    it('drops what it held where the access has ended', async () => {
      const { session, sight, client, ended, asked, seen } = open(exchange);
      sight.isBlind = true;
      client.write(exchange.request);
      for (let turns = 0; turns < 5; turns += 1) await turn();
      await session.cut(error);
      await ended;
      await until(() => client.readableEnded);
      assert.equal(asked().toString(), 'goodbye');
      assert.match(seen().toString(), /your access ended/);
    });

    it('says where a statement could not be stopped', async () => {
      const { session, client, ended, asked } = open(exchange);
      client.write(exchange.request);
      await until(() => asked().length === exchange.request.length);
      await session.cut(error);
      assert.equal(
        await ended,
        `${error.message}; its statement could not be stopped and may still run in the database`,
      );
    });

    it('tells of a statement without an answer when it is over', async () => {
      const { client, stream, ended, statements, asked } = open(exchange);
      client.write(exchange.request);
      await until(() => asked().length === exchange.request.length);
      stream.destroy();
      await ended;
      assert.deepEqual(
        statements.take().map(({ statement, runs }) => [statement.digest, runs]),
        [['select 1', 1]],
      );
    });
  });
}

describe('a session of PostgreSQL that is cut among the rows of a COPY', () => {
  const copyIn = message('G', '\0\0\0');

  /** A session whose server waits for rows, and has got one and the beginning of the next. */
  async function copying(begun: Buffer) {
    const opened = open(exchanges['PostgreSQL'] as Exchange);
    const [request, rows] = [query.encode('copy t from stdin'), Buffer.concat([message('d', 'a\n'), begun])];
    opened.client.write(request);
    await until(() => opened.asked().length === request.length);
    opened.server.write(copyIn);
    await until(() => opened.seen().length === copyIn.length);
    opened.client.write(rows);
    const sent = Buffer.concat([request, rows]);
    await until(() => opened.asked().length === sent.length);
    return { ...opened, sent };
  }

  it('makes the server give it up behind a whole row', async () => {
    const { session, client, server, ended, asked, seen, sent } = await copying(Buffer.alloc(0));
    const cutting = session.cut(error);
    const refused = Buffer.concat([sent, copyFail.encode(error.message)]);
    await until(() => asked().length === refused.length);
    assert.deepEqual(asked(), refused);
    server.write(Buffer.concat([message('E', 'C57014\0\0'), message('Z', 'I')]));
    await cutting;
    assert.equal(await ended, error.message);
    await until(() => client.readableEnded);
    assert.deepEqual(seen(), Buffer.concat([copyIn, errorResponse.encode(error)]));
    await until(() => asked().toString().endsWith('goodbye'));
  });

  it('ends the connection where no message can follow', async () => {
    const { session, server, ended, asked, sent } = await copying(message('d', long).subarray(0, 50));
    const cutting = session.cut(error);
    await until(() => server.readableEnded);
    assert.deepEqual(asked(), sent);
    server.end();
    await cutting;
    assert.equal(await ended, error.message);
  });
});

describe('a client that does not read what the gateway itself answers', () => {
  it('is not read either, so that the answers do not fill the memory', async () => {
    const exchange = exchanges['MySQL'] as Exchange;
    const { client, seen } = open(exchange);
    client.pause();
    const [chunks, commands] = [40, 2000];
    const refused = Buffer.concat(Array.from({ length: commands }, () => packet(0, '\x08')));
    let taken = 0;
    for (let count = 0; count < chunks; count += 1) client.write(refused, () => (taken += 1));
    await until(() => taken > 0);
    for (let turn = 0; turn < 5000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(taken < chunks / 2, `${taken} of ${chunks} were read`);
    client.resume();
    const answers = () => seen().toString('latin1').split('COM_SHUTDOWN').length - 1;
    await until(() => answers() === chunks * commands);
  });
});
