import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { ConnectionUri } from '@rolecall/api';
import { createGuard } from '../../../../server/databases/guard/index.ts';
import { logIn, type PostgresLogIn } from '../../../../server/databases/postgresql/log-in.ts';
import { FatalError } from '../../../../server/protocols/fatal-error.ts';
import {
  backendKeyData,
  errorResponse,
  noticeResponse,
  parameterStatus,
  readyForQuery,
} from '../../../../server/protocols/postgresql/answers.ts';
import { authentication, sasl } from '../../../../server/protocols/postgresql/authentication.ts';
import { readMessage } from '../../../../server/protocols/postgresql/framing.ts';
import { makeVerifier, ScramServer } from '../../../../server/protocols/postgresql/scram.ts';
import { readStart } from '../../../../server/protocols/postgresql/startup.ts';
import { readExactly } from '../../../../server/protocols/read-exactly.ts';

const never = new AbortController().signal;
const guard = createGuard({ networks: { allowed: ['127.0.0.0/8'] } });
const password = 'correct horse';

/** Plays a server. */
type Serve = (socket: Socket) => Promise<void>;

async function readStartup(socket: Socket): Promise<ReturnType<typeof readStart>> {
  const length = (await readExactly(socket, 4, never)).readUInt32BE(0);
  return readStart(await readExactly(socket, length - 4, never));
}

/** A server that lets clients in by SCRAM. @param end what it sends, by its own proof */
function scramServer(of: string, end: (proof: string) => Buffer): Serve {
  return async (socket) => {
    const read = async () => (await readMessage(socket, never, () => undefined)).body;
    await readStartup(socket);
    const exchange = new ScramServer(undefined);
    socket.write(sasl.mechanisms.encode(exchange.mechanisms));
    const { mechanism, response } = sasl.initialResponse.decode(await read());
    socket.write(authentication.encode(authentication.kind.saslContinue, exchange.begin(mechanism, response)));
    const result = exchange.finish(sasl.response.decode(await read()), [await makeVerifier(of)]);
    if (result === undefined) socket.end(errorResponse.encode(new FatalError('28P01', 'wrong password')));
    else socket.write(end(result.answer));
  };
}

const isIn = Buffer.concat([authentication.encode(authentication.kind.ok), readyForQuery.encode('I')]);
const proven = (proof: string): Buffer =>
  Buffer.concat([authentication.encode(authentication.kind.saslFinal, proof), isIn]);

async function logInTo(serve: Serve, given = password): Promise<PostgresLogIn> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket).catch(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const uri: ConnectionUri = {
    type: 'postgresql',
    user: 'ada',
    password: given,
    host: '127.0.0.1',
    port,
    database: 'shop',
    parameters: { sslmode: 'disable' },
  };
  try {
    using connection = await logIn(await guard.admit(uri, never), never);
    return connection;
  } finally {
    server.close();
  }
}

describe('a log-in by SCRAM', () => {
  it('answers once: a server that asks again gets nothing, since each answer costs thousands of rounds', async () => {
    const again = (proof: string): Buffer =>
      Buffer.concat([
        authentication.encode(authentication.kind.saslFinal, proof),
        sasl.mechanisms.encode(['SCRAM-SHA-256']),
      ]);
    await assert.rejects(logInTo(scramServer(password, again)), /PostgreSQL/);
  });

  it('succeeds the first time and again, and a wrong password never does', async () => {
    for (let count = 0; count < 3; count += 1) {
      await logInTo(scramServer(password, proven));
      await assert.rejects(logInTo(scramServer(password, proven), 'wrong'), {
        code: '28P01',
        message: 'wrong password',
      });
    }
  });

  it('takes a password with letters that have several forms, as servers do', async () => {
    await logInTo(scramServer('a \u00fcI', proven), 'a\u00a0u\u0308\u00ad\u2160');
  });

  it('refuses a server that does not prove that it knows the password', async () => {
    const wrong = (proof: string): Buffer =>
      proven(`v=${Buffer.from(proof.slice(2), 'base64').fill(7).toString('base64')}`);
    await assert.rejects(logInTo(scramServer(password, wrong)), /server signature does not match/);
    await assert.rejects(logInTo(scramServer(password, () => isIn)), /does not speak the protocol/);
  });

  it('refuses a server that makes it work too long, or answers with a nonce of its own', async () => {
    const answering = (answer: (first: string) => string) => async (socket: Socket) => {
      await readStartup(socket);
      socket.write(sasl.mechanisms.encode(['SCRAM-SHA-256']));
      const { body } = await readMessage(socket, never, () => undefined);
      const [, nonce = ''] = /r=(.*)$/.exec(sasl.initialResponse.decode(body).response) ?? [];
      socket.write(authentication.encode(authentication.kind.saslContinue, answer(nonce)));
      await readMessage(socket, never, () => undefined);
      socket.end();
    };
    for (const [answer, reason] of [
      [(nonce: string) => `r=${nonce}more,s=eA==,i=1000000`, /100000 are the most/],
      [(nonce: string) => `r=${nonce},s=eA==,i=4096`, /nonce does not continue/],
      [() => 'r=another,s=eA==,i=4096', /nonce does not continue/],
      [(nonce: string) => `r=${nonce}more,s=eA==,i=0`, /malformed/],
    ] as const) {
      await assert.rejects(logInTo(answering(answer)), reason);
    }
  });
});

describe('what a server tells in a log-in', () => {
  it('is kept: settings in their order, and the key to cancel with, whatever its length', async () => {
    const key = { processId: 7, secret: Buffer.alloc(32, 9) };
    const { settings, key: told } = await logInTo(async (socket) => {
      assert.deepEqual(await readStartup(socket), {
        kind: 'session',
        minor: 0,
        parameters: new Map(
          Object.entries({ user: 'ada', database: 'shop', client_encoding: 'UTF8', application_name: 'Rolecall' }),
        ),
      });
      socket.write(
        Buffer.concat([
          authentication.encode(authentication.kind.ok),
          parameterStatus.encode('server_version', '18.4'),
          noticeResponse.encode('told by the way'),
          parameterStatus.encode('TimeZone', 'Größe'),
          backendKeyData.encode(key),
          readyForQuery.encode('I'),
        ]),
      );
    });
    assert.deepEqual(
      [...settings],
      [
        ['server_version', '18.4'],
        ['TimeZone', 'Größe'],
      ],
    );
    assert.deepEqual(told, key);
  });

  it('may be without a key', async () => {
    const { key } = await logInTo(async (socket) => {
      await readStartup(socket);
      socket.write(isIn);
    });
    assert.equal(key, undefined);
  });

  it('is bounded', async () => {
    const long: Serve = async (socket) => {
      await readStartup(socket);
      socket.write(authentication.encode(authentication.kind.ok));
      for (let count = 0; count < 300; count += 1)
        socket.write(parameterStatus.encode(`s${count}`, 'x'.repeat(10_000)));
      socket.end();
    };
    await assert.rejects(logInTo(long), /does not speak the protocol/);
  });
});
