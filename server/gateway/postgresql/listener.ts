import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { add, networkOf } from '../../http/connections.ts';
import { secureContext, type TlsPair } from '../../http/tls.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { findPersonByUsername } from '../../store/person.ts';
import type { Gateway } from '../gateway.ts';
import { findPasswords, type LivePassword } from '../passwords.ts';
import { type Admitted, admit } from './admit.ts';
import { ClientGoneError, logIn, readExactly } from './log-in.ts';
import {
  authenticated,
  backendKeyData,
  errorResponse,
  FatalError,
  negotiateProtocolVersion,
  parameterStatus,
  readyForQuery,
} from './messages.ts';
import type { PostgresSession } from './session.ts';
import { longestStart, newestMinor, readStart, readWanted } from './startup.ts';

/** How long a client may take to log in, with the connection to its database, in milliseconds. */
const logInMs = 20_000;
/** How long a client that was refused may take to read why, in milliseconds. */
const goodbyeMs = 1000;
/** How often a quiet connection is probed, so that a client which is gone is noticed, in milliseconds. */
const keepAliveMs = 30_000;

/** How many clients may log in at a time: in all, and from one network. */
const most = { loggingIn: 512, ofNetwork: 128 };

const alpn = 'postgresql';
const handshakeByte = 0x16;
const protocol3 = 3 << 16;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined only for a host on loopback: without it, clients send their statements unencrypted. */
  readonly tls: TlsPair | undefined;
}

interface CancelKey {
  readonly secret: Buffer;
  readonly session: PostgresSession;
}

/** Lets clients of PostgreSQL in: TLS, log-in, the gate, the connection to the data source; then a session of its own. */
export class PostgresListener {
  readonly #gateway: Gateway;
  readonly #server: Server;
  readonly #tls: readonly TlsServer[];
  readonly #cancelKeys = new Map<number, CancelKey>();
  readonly #loggingIn = new Map<string, number>();
  #loggingInCount = 0;

  /** @throws Node's own where it cannot listen */
  static async open(gateway: Gateway, options: ListenOptions): Promise<PostgresListener> {
    const listener = new PostgresListener(gateway, options);
    listener.#server.listen({ host: options.host, port: options.port });
    await once(listener.#server, 'listening');
    return listener;
  }

  private constructor(gateway: Gateway, { tls }: ListenOptions) {
    this.#gateway = gateway;
    this.#tls = tls === undefined ? [] : [this.#tlsServer(tls, false), this.#tlsServer(tls, true)];
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }, (socket) => {
      this.#accept(socket);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** New connections get the new certificate. */
  setCertificate(pair: TlsPair): void {
    for (const server of this.#tls) server.setSecureContext(secureContext(pair));
  }

  /** Takes no more connections; those that are open go on. */
  close(): void {
    this.#server.close();
  }

  /** A server that does not listen: it is handed the connections that ask for TLS. */
  #tlsServer(pair: TlsPair, isDirect: boolean): TlsServer {
    const options = { ...secureContext(pair), ALPNProtocols: [alpn], handshakeTimeout: logInMs };
    const server = createTlsServer(options, (stream: TLSSocket) => {
      this.#run(stream, networkOf(stream.remoteAddress ?? ''), async (signal) => {
        if (isDirect && stream.alpnProtocol !== alpn) {
          throw new FatalError('08P01', `direct TLS needs the protocol ${alpn} in ALPN`);
        }
        await this.#start(stream, stream.remoteAddress ?? '', true, signal);
      });
    });
    return server.on('tlsClientError', (_error, stream) => {
      stream.destroy();
    });
  }

  #accept(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    // An error without a listener would end the process.
    socket.on('error', () => undefined);
    this.#run(socket, networkOf(remoteAddress), async (signal) => {
      const first = await readExactly(socket, 1, signal);
      socket.unshift(first);
      const [, direct] = this.#tls;
      if (first[0] === handshakeByte && direct !== undefined) direct.emit('connection', socket);
      else await this.#start(socket, remoteAddress, false, signal);
    });
  }

  /** Runs the log-in of a client within its time, and tells the client why it failed. */
  #run(stream: Duplex, network: string, work: (signal: AbortSignal) => Promise<void>): void {
    const isFull = this.#loggingInCount >= most.loggingIn || (this.#loggingIn.get(network) ?? 0) >= most.ofNetwork;
    const ended = new AbortController();
    const end = (): void => {
      ended.abort(new ClientGoneError('the client did not log in in time'));
    };
    const timer = setTimeout(end, logInMs);
    stream.on('error', () => undefined).once('close', end);
    this.#loggingInCount += 1;
    add(this.#loggingIn, network, 1);
    const refused = new FatalError('53300', 'too many clients log in at the moment: try again');
    (isFull ? Promise.reject(refused) : work(ended.signal))
      .catch((error: unknown) => {
        this.#refuse(stream, error);
      })
      .finally(() => {
        clearTimeout(timer);
        stream.off('close', end);
        this.#loggingInCount -= 1;
        add(this.#loggingIn, network, -1);
      });
  }

  #refuse(stream: Duplex, error: unknown): void {
    const fatal = this.#describe(error);
    if (fatal !== undefined) this.#gateway.figures.refused('postgresql', fatal.sqlState);
    if (fatal === undefined || !stream.writable) {
      stream.destroy();
      return;
    }
    stream.end(errorResponse(fatal));
    // What else the client sends is not read, and a client that does not read is not waited for.
    stream.resume();
    const timer = setTimeout(() => stream.destroy(), goodbyeMs);
    stream.once('close', () => {
      clearTimeout(timer);
    });
  }

  #describe(error: unknown): FatalError | undefined {
    if (error instanceof FatalError) return error;
    if (error instanceof StoreUnavailableError) {
      return new FatalError('57P03', 'the gateway cannot reach its store, so that it lets no one in: try again');
    }
    if (error instanceof ClientGoneError) return undefined;
    this.#gateway.parts.onError(error, 'a client was not let in through the gateway');
    return new FatalError('XX000', 'the gateway failed; its log says why');
  }

  async #start(stream: Duplex, address: string, isSecure: boolean, signal: AbortSignal): Promise<void> {
    // A client asks for each encryption at most once.
    for (let asked = 0; asked < 3; asked += 1) {
      const length = (await readExactly(stream, 4, signal)).readUInt32BE(0) - 4;
      if (length < 4 || length > longestStart) throw new FatalError('08P01', 'the startup packet is malformed');
      const packet = readStart(await readExactly(stream, length, signal));
      if (packet.kind === 'cancel') {
        await this.#cancel(packet);
        stream.end();
        return;
      }
      if (packet.kind === 'session') {
        await this.#logIn(stream, address, isSecure, packet, signal);
        return;
      }
      if (isSecure) throw new FatalError('08P01', 'the connection is encrypted already');
      // Bytes that came in the clear could pass for ones that came within TLS.
      if (stream.readableLength > 0)
        throw new FatalError('08P01', 'the client sent more before its request was answered');
      const [server] = this.#tls;
      if (packet.kind === 'gss' || server === undefined) stream.write('N');
      else {
        stream.write('S');
        server.emit('connection', stream);
        return;
      }
    }
    throw new FatalError('08P01', 'the client asks for encryption again and again');
  }

  async #cancel({ processId, secret }: { processId: number; secret: Buffer }): Promise<void> {
    const key = this.#cancelKeys.get(processId);
    if (key?.secret.length === secret.length && timingSafeEqual(key.secret, secret)) await key.session.cancel();
  }

  async #logIn(
    stream: Duplex,
    address: string,
    isSecure: boolean,
    { minor, parameters }: { minor: number; parameters: ReadonlyMap<string, string> },
    signal: AbortSignal,
  ): Promise<void> {
    if (!isSecure && this.#tls.length > 0) {
      throw new FatalError('28000', 'the gateway takes encrypted connections only', 'Connect with sslmode=require.');
    }
    const wanted = readWanted(parameters);
    if (minor > newestMinor || wanted.unknown.length > 0) {
      stream.write(negotiateProtocolVersion(protocol3 + Math.min(minor, newestMinor), wanted.unknown));
    }
    const { store, storeClock, seal, refused } = this.#gateway.parts;
    const { username, dataSource } = wanted;
    const find = async (): Promise<LivePassword[]> =>
      store.read(async (executor) => {
        await storeClock.refresh(executor);
        return findPasswords(executor, seal, { username, dataSource, now: storeClock.now() });
      });
    const { found, answer } = await logIn(stream, username, find, signal).catch(async (error: unknown) => {
      if (error instanceof FatalError && error.sqlState === '28P01') {
        refused(address, await store.read((executor) => findPersonByUsername(executor, username)));
      }
      throw error;
    });
    const admitted = await admit(this.#gateway, stream, { password: found, wanted, address, signal });
    this.#serve(stream, admitted, answer, minor);
  }

  /** Lets a session run, and registers the key by which its client cancels. */
  #serve(stream: Duplex, { session, open, upstream, begin }: Admitted, answer: string, minor: number): void {
    const processId = this.#newProcessId();
    const secret = randomBytes(minor < 2 ? 4 : 32);
    this.#cancelKeys.set(processId, { secret, session });
    this.#gateway.sessions.add(open);
    const settings = [...upstream.settings].map(([name, value]) => parameterStatus(name, value));
    stream.write(Buffer.concat([authenticated(answer), ...settings, backendKeyData(processId, secret), readyForQuery]));
    begin(() => {
      this.#cancelKeys.delete(processId);
      this.#gateway.sessions.delete(open);
    });
  }

  #newProcessId(): number {
    for (;;) {
      const id = randomInt(1, 2 ** 31);
      if (!this.#cancelKeys.has(id)) return id;
    }
  }
}
