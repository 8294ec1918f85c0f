import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { ReusedReads } from '../databases/connections/reused-reads.ts';
import { secureContext, type TlsPair } from '../http/tls.ts';

/** Interval at which a quiet connection is probed, so that a client which is gone is noticed, in milliseconds. */
const keepAliveMs = 30_000;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined only for a host on loopback: without it, clients send their statements unencrypted. */
  readonly tls: TlsPair | undefined;
}

/** A port on which clients come in. */
export class Door {
  readonly host: string;
  readonly #server: Server;
  #tls: SecureContext | undefined;

  /**
   * Listens for clients.
   *
   * @param accept gets a client that nothing was read from, its address, and the certificate of this moment
   * @throws the listen error (EADDRINUSE, EACCES)
   */
  static async open(
    { host, port, tls }: ListenOptions,
    accept: (socket: Socket, address: string, tls: SecureContext | undefined) => void,
  ): Promise<Door> {
    const options = { pauseOnConnect: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs };
    const server = createServer(options, (accepted) => {
      const socket = ReusedReads.adopt(accepted);
      accept(socket, socket.remoteAddress ?? '', door.#tls);
    });
    const door = new Door(host, server);
    if (tls !== undefined) door.setCertificate(tls);
    server.listen({ host, port });
    await once(server, 'listening');
    return door;
  }

  private constructor(host: string, server: Server) {
    this.host = host;
    this.#server = server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** New connections get the new certificate. */
  setCertificate(pair: TlsPair): void {
    this.#tls = createSecureContext(secureContext(pair));
  }

  /** Takes no more connections; those that are open go on. */
  close(): void {
    this.#server.close();
  }
}
