import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { secureContext, type TlsPair } from '../../http/tls.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import {
  backendKeyData,
  errorResponse,
  negotiateProtocolVersion,
  parameterStatus,
  readyForQuery,
} from '../../protocols/postgresql/answers.ts';
import { authentication, authenticationKind } from '../../protocols/postgresql/authentication.ts';
import { longestStart, newestMinor, protocol3, readStart } from '../../protocols/postgresql/startup.ts';
import { readExactly } from '../../protocols/read-exactly.ts';
import { secure } from '../../protocols/tls.ts';
import { findPersonByUsername } from '../../store/person.ts';
import { type Admitted, admit } from '../admit.ts';
import type { Gateway } from '../gateway.ts';
import { type ListenOptions, type LogIn, type LogIns, listenForClients } from '../log-ins.ts';
import { findPasswords, type LivePassword } from '../passwords.ts';
import { CancelKeys } from './cancel-keys.ts';
import { PostgresConversation } from './conversation.ts';
import { logIn, readWanted } from './log-in.ts';
import { connectUpstream, type PostgresUpstream } from './upstream.ts';

const alpn = 'postgresql';
const handshakeByte = 0x16;

/** Lets clients of PostgreSQL in: TLS, log-in, the gate, the connection to the data source; then a session of its own. */
export class PostgresListener {
  readonly #gateway: Gateway;
  readonly #logIns: LogIns;
  readonly #cancelKeys = new CancelKeys();
  #tls: SecureContext | undefined;
  #server: Server | undefined;

  /** @throws Node's own where it cannot listen */
  static async open(gateway: Gateway, logIns: LogIns, options: ListenOptions): Promise<PostgresListener> {
    const listener = new PostgresListener(gateway, logIns, options);
    listener.#server = await listenForClients(options, (socket, address) => {
      listener.#accept(socket, address);
    });
    return listener;
  }

  private constructor(gateway: Gateway, logIns: LogIns, { tls }: ListenOptions) {
    this.#gateway = gateway;
    this.#logIns = logIns;
    if (tls !== undefined) this.setCertificate(tls);
  }

  get port(): number {
    return (this.#server?.address() as AddressInfo).port;
  }

  /** New connections get the new certificate. */
  setCertificate(pair: TlsPair): void {
    this.#tls = createSecureContext(secureContext(pair));
  }

  /** Takes no more connections; those that are open go on. */
  close(): void {
    this.#server?.close();
  }

  #accept(socket: Socket, address: string): void {
    this.#run(socket, address, async (signal, secured) => {
      const first = await readExactly(socket, 1, signal);
      socket.unshift(first);
      const tls = this.#tls;
      const isDirect = first[0] === handshakeByte && tls !== undefined;
      const stream = isDirect ? secure(socket, tls, alpn) : await this.#start(socket, address, false, signal);
      if (stream === undefined) return;
      secured(stream);
      if (isDirect) await requireAlpn(stream, signal);
      await this.#start(stream, address, true, signal);
    });
  }

  #run(stream: Duplex, address: string, work: LogIn): void {
    this.#logIns.run(stream, address, work, (error) => {
      this.#gateway.figures.refused('postgresql', error.sqlState);
      return errorResponse.encode(error);
    });
  }

  /** @returns the stream within TLS, if the client asks for that: it starts anew there */
  async #start(
    stream: Duplex,
    address: string,
    isSecure: boolean,
    signal: AbortSignal,
  ): Promise<TLSSocket | undefined> {
    // A client asks for each encryption at most once.
    for (let asked = 0; asked < 3; asked += 1) {
      const length = (await readExactly(stream, 4, signal)).readUInt32BE(0) - 4;
      if (length < 4 || length > longestStart) throw new FatalError('08P01', 'the startup packet is malformed');
      const packet = readStart(await readExactly(stream, length, signal));
      if (packet.kind === 'cancel') {
        await this.#cancelKeys.cancel(packet);
        stream.end();
        return undefined;
      }
      if (packet.kind === 'session') {
        await this.#logIn(stream, address, isSecure, packet, signal);
        return undefined;
      }
      if (isSecure) throw new FatalError('08P01', 'the connection is encrypted already');
      // Bytes that came in the clear could pass for ones that came within TLS.
      if (stream.readableLength > 0)
        throw new FatalError('08P01', 'the client sent more before its request was answered');
      const tls = this.#tls;
      if (packet.kind === 'gss' || tls === undefined) stream.write('N');
      else {
        stream.write('S');
        return secure(stream, tls, alpn);
      }
    }
    throw new FatalError('08P01', 'the client asks for encryption again and again');
  }

  async #logIn(
    stream: Duplex,
    address: string,
    isSecure: boolean,
    { minor, parameters }: { minor: number; parameters: ReadonlyMap<string, string> },
    signal: AbortSignal,
  ): Promise<void> {
    if (!isSecure && this.#tls !== undefined) {
      throw new FatalError('28000', 'the gateway takes encrypted connections only', 'Connect with sslmode=require.');
    }
    const wanted = readWanted(parameters);
    if (minor > newestMinor || wanted.unknown.length > 0) {
      stream.write(negotiateProtocolVersion.encode(protocol3 + Math.min(minor, newestMinor), wanted.unknown));
    }
    const { spares, parts } = this.#gateway;
    const { store, storeClock, seal, guard, refused } = parts;
    const { username, dataSource } = wanted;
    const find = async (): Promise<LivePassword[]> =>
      store.read(async (executor) => {
        await storeClock.refresh(executor);
        return findPasswords(executor, seal, { username, dataSource, now: storeClock.now() });
      });
    const { found, answer } = await logIn(stream, find, signal).catch(async (error: unknown) => {
      if (error instanceof FatalError && error.sqlState === '28P01') {
        refused(address, await store.read((executor) => findPersonByUsername(executor, username)));
      }
      throw error;
    });
    const admitted = await admit(
      this.#gateway,
      {
        name: 'postgresql',
        product: 'PostgreSQL',
        types: ['postgresql'],
        connect: (uri, bound) => connectUpstream(uri, wanted.settings, { guard, spares }, bound),
        follow: ({ statements, digest, memory }) => new PostgresConversation(statements, digest, memory),
      },
      { stream, password: found, address, client: wanted.settings['application_name'] ?? '', signal },
    );
    this.#serve(stream, admitted, answer, minor);
  }

  /** Lets a session run, and registers the key by which its client cancels. */
  #serve(stream: Duplex, { open, upstream, begin }: Admitted<PostgresUpstream>, answer: string, minor: number): void {
    const { forget, ...key } = this.#cancelKeys.add(upstream.atServer?.processId, minor, upstream.cancel);
    this.#gateway.sessions.add(open);
    stream.write(
      Buffer.concat([
        authentication.encode(authenticationKind.saslFinal, answer),
        authentication.encode(authenticationKind.ok),
        ...[...upstream.settings].map(([name, value]) => parameterStatus.encode(name, value)),
        backendKeyData.encode(key),
        readyForQuery.encode('I'),
      ]),
    );
    begin(() => {
      forget();
      this.#gateway.sessions.delete(open);
    });
  }
}

/** Waits for the end of the handshake. @throws FatalError, ConnectionEndedError */
async function requireAlpn(stream: TLSSocket, signal: AbortSignal): Promise<void> {
  stream.unshift(await readExactly(stream, 1, signal));
  if (stream.alpnProtocol !== alpn) throw new FatalError('08P01', `direct TLS needs the protocol ${alpn} in ALPN`);
}
