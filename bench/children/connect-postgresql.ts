/**
 * Connects to PostgreSQL again and again, with SCRAM and one query each time. Derives the key of a password once for each salt,
 * so that it measures the other side and not itself.
 */
import { connect, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { errorResponse, server } from '../../server/protocols/postgresql/answers.ts';
import { authentication, sasl } from '../../server/protocols/postgresql/authentication.ts';
import { messageReader } from '../../server/protocols/postgresql/framing.ts';
import { query, terminate } from '../../server/protocols/postgresql/requests.ts';
import { ScramClient } from '../../server/protocols/postgresql/scram.ts';
import { encryptionRequest, startupMessage } from '../../server/protocols/postgresql/startup.ts';

export interface ConnectJob {
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string;
  readonly isTls: boolean;
  /** How many connections are made at a time. */
  readonly at: number;
  /** For how long, in seconds; 0 makes `at` connections, and keeps them until the process ends. */
  readonly seconds: number;
}

export interface ConnectResult {
  readonly perSecond: number;
  /** From the beginning of a connection until its query is answered, in milliseconds. */
  readonly latencies: readonly number[];
}

const kept: Socket[] = [];

process.on('disconnect', () => process.exit(1));
process.on('message', (job: ConnectJob) => {
  void drive(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send?.('ready');

async function drive(job: ConnectJob): Promise<ConnectResult> {
  const latencies: number[] = [];
  const [begun, until] = [performance.now(), performance.now() + job.seconds * 1000];
  const one = async (): Promise<void> => {
    do {
      const start = performance.now();
      const socket = await open(job);
      latencies.push(performance.now() - start);
      if (job.seconds === 0) kept.push(socket);
      else socket.end(terminate);
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: job.at }, one));
  return { perSecond: (latencies.length * 1000) / (performance.now() - begun), latencies };
}

async function open(job: ConnectJob): Promise<Socket> {
  const plain = connect({ port: job.port, host: '127.0.0.1', noDelay: true });
  const socket = job.isTls ? await encrypt(plain) : plain;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const exchange = new ScramClient(job.password);
  let hasAsked = false;
  socket.on('error', reject).on('close', () => {
    reject(new Error('the server closed the connection'));
  });
  const read = messageReader((type, bytes, start, end) => {
    if (type === server.error) reject(new Error(errorResponse.decode(bytes, start, end).get('M')));
    if (type === server.authentication) {
      answer(socket, exchange, Buffer.from(bytes.subarray(start, end))).catch(reject);
    }
    if (type === server.ready && hasAsked) resolve(socket);
    if (type === server.ready && !hasAsked) {
      hasAsked = true;
      socket.write(query.encode('select 1'));
    }
  });
  socket.on('data', read);
  socket.write(startupMessage.encode({ user: job.user, database: job.database }));
  return promise;
}

async function answer(socket: Socket, exchange: ScramClient, body: Buffer): Promise<void> {
  const { kind, data } = authentication.decode(body);
  if (kind === authentication.kind.sasl) {
    const { mechanism, response } = exchange.begin(sasl.mechanisms.decode(data));
    socket.write(sasl.initialResponse.encode(mechanism, response));
  } else if (kind === authentication.kind.saslContinue) {
    socket.write(sasl.response.encode(await exchange.prove(data.toString())));
  }
}

async function encrypt(plain: Socket): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  plain.on('error', reject).once('data', () => {
    const secure = startTls({ socket: plain, rejectUnauthorized: false }, () => {
      resolve(secure);
    });
    secure.on('error', reject);
  });
  plain.write(encryptionRequest.encode('tls'));
  return promise;
}
