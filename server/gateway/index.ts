import { isLoopbackHost } from '@rolecall/api';
import { TlsError, type TlsPair } from '../http/tls.ts';
import type { Door } from './door.ts';
import type { Figures } from './figures.ts';
import { Gateway, type GatewayParts } from './gateway.ts';
import { LogIns } from './log-ins.ts';
import { MysqlListener } from './mysql/listener.ts';
import { PostgresListener } from './postgresql/listener.ts';

/** Address at which clients come in. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

/** The ports that a gateway may have, by the product that each is for. */
export type GatewayDoor = 'postgresql' | 'mysql' | 'mariadb';

/** The options of a process that say where clients come in. */
export interface DoorOptions {
  readonly gatewayPostgresql?: GatewayAddress;
  readonly gatewayMysql?: GatewayAddress;
  readonly gatewayMariadb?: GatewayAddress;
}

export type GatewayAddresses = Readonly<Partial<Record<GatewayDoor, GatewayAddress>>>;

export function addressesOf(options: DoorOptions): GatewayAddresses {
  const { gatewayPostgresql: postgresql, gatewayMysql: mysql, gatewayMariadb: mariadb } = options;
  return {
    ...(postgresql && { postgresql }),
    ...(mysql && { mysql }),
    ...(mariadb && { mariadb }),
  };
}

type Doors = ReadonlyMap<GatewayDoor, Door>;

/** The gateway of this process. */
export class RunningGateway {
  readonly #gateway: Gateway;
  readonly #logIns: LogIns;
  readonly #doors: Doors;

  /** @throws TlsError beyond loopback without TLS; the listen error (EADDRINUSE, EACCES) */
  static async start(
    parts: GatewayParts,
    addresses: GatewayAddresses,
    tls: TlsPair | undefined,
  ): Promise<RunningGateway> {
    const gateway = new Gateway(parts);
    const logIns = new LogIns(parts);
    const doors = new Map<GatewayDoor, Door>();
    try {
      for (const [door, address] of Object.entries(addresses) as [GatewayDoor, GatewayAddress][]) {
        requireTls(address, tls);
        doors.set(door, await open(door, gateway, logIns, { ...address, tls }));
      }
      return new RunningGateway(gateway, logIns, doors);
    } catch (error) {
      for (const door of doors.values()) door.close();
      await gateway.close(0);
      throw error;
    }
  }

  private constructor(gateway: Gateway, logIns: LogIns, doors: Doors) {
    this.#gateway = gateway;
    this.#logIns = logIns;
    this.#doors = doors;
  }

  /** Reads the metrics for Prometheus. */
  figures(): ReturnType<Figures['read']> {
    return this.#gateway.figures.read(this.#gateway.sessions);
  }

  /** Returns the address at which clients of a product connect. Where any port was asked for, it has the port that was free. */
  address(door: GatewayDoor): GatewayAddress | undefined {
    const openDoor = this.#doors.get(door);
    return openDoor && { host: openDoor.host, port: openDoor.port };
  }

  /** The ports of all doors. */
  get ports(): Readonly<Partial<Record<GatewayDoor, number>>> {
    return Object.fromEntries([...this.#doors].map(([name, { port }]) => [name, port]));
  }

  /** New connections get the new certificate. */
  setCertificate(pair: TlsPair): void {
    for (const door of this.#doors.values()) door.setCertificate(pair);
  }

  /** Takes no more connections, ends sessions as they come to rest, and after the grace period all of them. */
  async close(graceMs: number): Promise<void> {
    for (const door of this.#doors.values()) door.close();
    await this.#logIns.close();
    await this.#gateway.close(graceMs);
  }
}

function requireTls({ host }: GatewayAddress, tls: TlsPair | undefined): void {
  if (tls !== undefined || isLoopbackHost(host)) return;
  const remedy = 'give it a certificate and its key';
  throw new TlsError('ERR_TLS_CERTIFICATE', `the gateway listens on ${host} only with TLS: ${remedy}`);
}

function open(
  door: GatewayDoor,
  gateway: Gateway,
  logIns: LogIns,
  options: GatewayAddress & { tls: TlsPair | undefined },
): Promise<Door> {
  if (door === 'postgresql') return PostgresListener.open(gateway, logIns, options);
  return MysqlListener.open(gateway, logIns, { ...options, product: door === 'mysql' ? 'MySQL' : 'MariaDB' });
}
