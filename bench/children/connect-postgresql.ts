/**
 * Connects to PostgreSQL again and again, with SCRAM and one query each time. Derives the key of a password once for each salt,
 * so that it measures the other side and not itself.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { query, startPacket, terminate, tlsCode } from '../../server/databases/postgresql/requests.ts';

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
const keys = new Map<string, Buffer>();

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
  const exchange = new Exchange(job.password);
  let rest: Buffer = Buffer.alloc(0);
  let hasAsked = false;
  socket.on('error', reject).on('close', () => {
    reject(new Error('the server closed the connection'));
  });
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const [type, body] = [rest.toString('latin1', 0, 1), rest.subarray(5, rest.readUInt32BE(1) + 1)];
      rest = rest.subarray(rest.readUInt32BE(1) + 1);
      if (type === 'E') reject(new Error(body.toString('utf8').replaceAll('\0', ' ')));
      if (type === 'R') exchange.answer(socket, body);
      if (type === 'Z' && hasAsked) resolve(socket);
      if (type === 'Z' && !hasAsked) {
        hasAsked = true;
        socket.write(query('select 1'));
      }
    }
  });
  const parameters = Buffer.from(`user\0${job.user}\0database\0${job.database}\0\0`);
  const head = startPacket(196_608);
  head.writeUInt32BE(8 + parameters.length);
  socket.write(Buffer.concat([head, parameters]));
  return promise;
}

async function encrypt(plain: Socket): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  plain.on('error', reject).once('data', () => {
    const secure = startTls({ socket: plain, rejectUnauthorized: false }, () => {
      resolve(secure);
    });
    secure.on('error', reject);
  });
  plain.write(startPacket(tlsCode));
  return promise;
}

/** The client's side of SCRAM-SHA-256. */
class Exchange {
  readonly #password: string;
  readonly #nonce = randomBytes(18).toString('base64');

  constructor(password: string) {
    this.#password = password;
  }

  answer(socket: Socket, body: Buffer): void {
    const code = body.readUInt32BE(0);
    if (code === 10) {
      const first = Buffer.from(`n,,n=,r=${this.#nonce}`);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(first.length);
      socket.write(message(Buffer.concat([Buffer.from('SCRAM-SHA-256\0'), length, first])));
    } else if (code === 11) socket.write(message(Buffer.from(this.#final(body.toString('latin1', 4)))));
  }

  #final(serverFirst: string): string {
    const [, nonce = '', salt = '', iterations = ''] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(serverFirst) ?? [];
    const id = `${this.#password} ${salt} ${iterations}`;
    const salted =
      keys.get(id) ?? pbkdf2Sync(this.#password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
    keys.set(id, salted);
    const clientKey = hmac(salted, 'Client Key');
    const withoutProof = `c=biws,r=${nonce}`;
    const text = `n=,r=${this.#nonce},${serverFirst},${withoutProof}`;
    const signature = hmac(createHash('sha256').update(clientKey).digest(), text);
    const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
    return `${withoutProof},p=${proof.toString('base64')}`;
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function message(body: Buffer): Buffer {
  const head = Buffer.alloc(5, 'p');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
