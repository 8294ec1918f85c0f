import { isLoopbackHost } from '@rolecall/api';
import { TlsError, type TlsPair } from '../http/tls.ts';
import type { Figures } from './figures.ts';
import { Gateway, type GatewayParts } from './gateway.ts';
import { LogIns } from './log-ins.ts';
import { PostgresListener } from './postgresql/listener.ts';

/** Where clients of PostgreSQL come in. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

/** The gateway of this process. */
export class RunningGateway {
  /** Where clients connect; the port is the one that was found, where any was asked for. */
  readonly address: GatewayAddress;
  readonly #gateway: Gateway;
  readonly #listener: PostgresListener;

  /** @throws TlsError beyond loopback without TLS; Node's own where it cannot listen */
  static async start(parts: GatewayParts, address: GatewayAddress, tls: TlsPair | undefined): Promise<RunningGateway> {
    if (tls === undefined && !isLoopbackHost(address.host)) {
      const remedy = 'give it a certificate and its key';
      throw new TlsError('ERR_TLS_CERTIFICATE', `the gateway listens on ${address.host} only with TLS: ${remedy}`);
    }
    const gateway = new Gateway(parts);
    try {
      return new RunningGateway(
        gateway,
        await PostgresListener.open(gateway, new LogIns(parts), { ...address, tls }),
        address.host,
      );
    } catch (error) {
      await gateway.close(0);
      throw error;
    }
  }

  private constructor(gateway: Gateway, listener: PostgresListener, host: string) {
    this.#gateway = gateway;
    this.#listener = listener;
    this.address = { host, port: listener.port };
  }

  /** What Prometheus reads. */
  figures(): ReturnType<Figures['read']> {
    return this.#gateway.figures.read(this.#gateway.sessions);
  }

  /** New connections get the new certificate. */
  setCertificate(pair: TlsPair): void {
    this.#listener.setCertificate(pair);
  }

  /** Takes no more connections, ends sessions as they come to rest, and after the grace period all of them. */
  async close(graceMs: number): Promise<void> {
    this.#listener.close();
    await this.#gateway.close(graceMs);
  }
}
