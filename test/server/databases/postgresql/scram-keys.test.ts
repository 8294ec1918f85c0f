import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { ConnectionUri } from '@rolecall/api';
import { pinnedSocket } from '../../../../server/databases/connections/socket.ts';
import { createGuard } from '../../../../server/databases/guard/index.ts';
import { connectClient } from '../../../../server/databases/postgresql/client.ts';
import { FatalError } from '../../../../server/gateway/fatal-error.ts';
import {
  authenticated,
  errorResponse,
  readyForQuery,
  saslContinue,
  saslMechanisms,
} from '../../../../server/gateway/postgresql/messages.ts';
import { makeVerifier, ScramExchange } from '../../../../server/gateway/postgresql/scram.ts';
import { readExactly } from '../../../../server/gateway/read-exactly.ts';

const never = new AbortController().signal;
const guard = createGuard({ networks: { allowed: ['127.0.0.0/8'] } });
const password = 'correct horse';
const verifier = await makeVerifier(password);

/** A server that lets clients in by SCRAM. @param answer what it sends as its own proof */
async function serve(socket: Socket, answer: (proof: string) => string): Promise<void> {
  const read = async (): Promise<Buffer> => {
    const head = await readExactly(socket, 5, never);
    return readExactly(socket, head.readUInt32BE(1) - 4, never);
  };
  const length = (await readExactly(socket, 4, never)).readUInt32BE(0);
  await readExactly(socket, length - 4, never);
  const exchange = new ScramExchange(undefined);
  socket.write(saslMechanisms(exchange.mechanisms));
  const initial = await read();
  socket.write(saslContinue(exchange.begin('SCRAM-SHA-256', initial.toString('utf8', initial.indexOf(0) + 5))));
  const result = exchange.finish((await read()).toString('utf8'), [verifier]);
  if (result === undefined) socket.end(errorResponse(new FatalError('28P01', 'wrong password')));
  else socket.write(Buffer.concat([authenticated(answer(result.answer)), readyForQuery]));
}

async function logIn(given: string, answer: (proof: string) => string = (proof) => proof): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket, answer).catch(() => socket.destroy());
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
  const socket = pinnedSocket(await guard.admit(uri, never));
  socket.on('error', () => undefined);
  try {
    await connectClient(uri, socket, 1024 * 1024);
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('a log-in by SCRAM with keys that are kept', () => {
  it('succeeds the first time and again, and a wrong password never does', async () => {
    for (let count = 0; count < 3; count += 1) {
      await logIn(password);
      await assert.rejects(logIn('wrong'), /wrong password/);
    }
  });

  it('refuses a server that does not prove that it knows the password', async () => {
    await logIn(password);
    await assert.rejects(
      logIn(password, (proof) => `v=${Buffer.from(proof.slice(2), 'base64').fill(7).toString('base64')}`),
      /server signature does not match/,
    );
  });
});
