import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext, TLSSocket } from 'node:tls';
import { FatalError } from '../../protocols/fatal-error.ts';
import {
  backendKeyData,
  errorResponse,
  negotiateProtocolVersion,
  parameterStatus,
  readyForQuery,
} from '../../protocols/postgresql/answers.ts';
import { authentication } from '../../protocols/postgresql/authentication.ts';
import { longestStart, newestMinor, protocol3, readStart } from '../../protocols/postgresql/startup.ts';
import { readExactly } from '../../protocols/read-exactly.ts';
import { secure } from '../../protocols/tls.ts';
import { Door, type ListenOptions } from '../door.ts';
import type { Gateway } from '../gateway.ts';
import { type Arrival, handleClient, provePassword } from '../handle-client.ts';
import type { LogIn, LogIns } from '../log-ins.ts';
import type { Protocol } from '../protocol.ts';
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

  /** @throws the listen error (EADDRINUSE, EACCES) */
  static open(gateway: Gateway, logIns: LogIns, options: ListenOptions): Promise<Door> {
    const listener = new PostgresListener(gateway, logIns);
    return Door.open(options, (socket, address, tls) => {
      listener.#accept(socket, address, tls);
    });
  }

  private constructor(gateway: Gateway, logIns: LogIns) {
    this.#gateway = gateway;
    this.#logIns = logIns;
  }

  #accept(socket: Socket, address: string, tls: SecureContext | undefined): void {
    const work: LogIn = async (signal, secured, letIn) => {
      const arrival = { stream: socket, address, signal, letIn };
      const first = await readExactly(socket, 1, signal);
      socket.unshift(first);
      const isDirect = first[0] === handshakeByte && tls !== undefined;
      const stream = isDirect ? secure(socket, tls, alpn) : await this.#start(arrival, tls, false);
      if (stream === undefined) return;
      secured(stream);
      if (isDirect) await requireAlpn(stream, signal);
      await this.#start({ ...arrival, stream }, tls, true);
    };
    this.#logIns.run(socket, address, work, (error) => {
      this.#gateway.figures.refused('postgresql', error.sqlState);
      return errorResponse.encode(error);
    });
  }

  /** @returns the stream within TLS, if the client asks for that: it starts anew there */
  async #start(arrival: Arrival, tls: SecureContext | undefined, isSecure: boolean): Promise<TLSSocket | undefined> {
    const { stream, signal } = arrival;
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
        if (!isSecure && tls !== undefined) {
          throw new FatalError(
            '28000',
            'the gateway takes encrypted connections only',
            'Connect with sslmode=require.',
          );
        }
        await this.#logIn(arrival, packet);
        return undefined;
      }
      if (isSecure) throw new FatalError('08P01', 'the connection is encrypted already');
      // Bytes that came in the clear could pass for ones that came within TLS.
      if (stream.readableLength > 0)
        throw new FatalError('08P01', 'the client sent more before its request was answered');
      if (packet.kind === 'gss' || tls === undefined) stream.write('N');
      else {
        stream.write('S');
        return secure(stream, tls, alpn);
      }
    }
    throw new FatalError('08P01', 'the client asks for encryption again and again');
  }

  async #logIn(
    arrival: Arrival,
    { minor, parameters }: { minor: number; parameters: ReadonlyMap<string, string> },
  ): Promise<void> {
    const { stream, address, signal } = arrival;
    const wanted = readWanted(parameters);
    if (minor > newestMinor || wanted.unknown.length > 0) {
      stream.write(negotiateProtocolVersion.encode(protocol3 + Math.min(minor, newestMinor), wanted.unknown));
    }
    const { spares, parts } = this.#gateway;
    const { guard } = parts;
    const { verifier: password, answer } = await provePassword(parts, address, [wanted], (find) =>
      logIn(stream, find, signal),
    );
    const protocol: Protocol<PostgresUpstream> = {
      name: 'postgresql',
      product: 'PostgreSQL',
      types: ['postgresql'],
      connect: (uri, bound) => connectUpstream(uri, wanted.settings, { guard, spares }, bound),
      follow: ({ statements, digest, memory }) => new PostgresConversation(statements, digest, memory),
      welcome: (upstream) => this.#welcome(stream, upstream, answer, minor),
    };
    const name = wanted.settings['application_name'] ?? '';
    await handleClient(this.#gateway, protocol, { ...arrival, password, name });
  }

  /** Tells a client that it is in, and registers the key by which it cancels. @param answer the last message of SCRAM */
  #welcome(stream: Duplex, upstream: PostgresUpstream, answer: string, minor: number): Disposable {
    const { forget, ...key } = this.#cancelKeys.add(upstream.atServer?.processId, minor, upstream.cancel);
    stream.write(
      Buffer.concat([
        authentication.encode(authentication.kind.saslFinal, answer),
        authentication.encode(authentication.kind.ok),
        ...[...upstream.settings].map(([name, value]) => parameterStatus.encode(name, value)),
        backendKeyData.encode(key),
        readyForQuery.encode('I'),
      ]),
    );
    return { [Symbol.dispose]: forget };
  }
}

/** Waits for the end of the handshake. @throws FatalError, ConnectionEndedError */
async function requireAlpn(stream: TLSSocket, signal: AbortSignal): Promise<void> {
  stream.unshift(await readExactly(stream, 1, signal));
  if (stream.alpnProtocol !== alpn) throw new FatalError('08P01', `direct TLS needs the protocol ${alpn} in ALPN`);
}
