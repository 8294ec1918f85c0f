import { type DataSourceType, isLoopbackHost } from '@rolecall/api';
import type { GatewayAddress, RunningGateway } from './gateway/index.ts';
import type { ServiceOptions } from './service-options.ts';

/** Addresses at which people reach the service. Its own addresses are known only once it listens. */
export class ServiceAddresses {
  readonly #options: ServiceOptions;
  #page: string | undefined;
  #gateway: RunningGateway | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** The page listens at this URL. */
  pageListens(url: string): void {
    this.#page = url;
  }

  gatewayListens(gateway: RunningGateway | undefined): void {
    this.#gateway = gateway;
  }

  get gateway(): RunningGateway | undefined {
    return this.#gateway;
  }

  /** The address under which browsers reach the page; its own only on loopback, because people sign in nowhere else without TLS. */
  origin(): string | undefined {
    const { publicUrl } = this.#options;
    if (publicUrl !== undefined || this.#page === undefined) return publicUrl;
    return isLoopbackHost(new URL(this.#page).hostname) ? this.#page : undefined;
  }

  /** Returns the address of the gateway: at the host of the page, unless the service was told otherwise. */
  ofGateway(type: DataSourceType): GatewayAddress | null {
    if (type === 'sqlite') return null;
    const { gatewayAddress, gatewayMysqlAddress, gatewayMariadbAddress, publicUrl } = this.#options;
    const told = { postgresql: gatewayAddress, mysql: gatewayMysqlAddress, mariadb: gatewayMariadbAddress };
    // Clients of MariaDB come in by the port of MySQL where they have none of their own.
    const ownAddress = told[type] ?? this.#gateway?.address(type);
    const door = type === 'mariadb' && ownAddress === undefined ? 'mysql' : type;
    const toldOfDoor = told[door];
    if (toldOfDoor !== undefined) return toldOfDoor;
    const address = this.#gateway?.address(door);
    if (address === undefined) return null;
    const ofPage = publicUrl === undefined ? address.host : new URL(publicUrl).hostname;
    return { ...address, host: gatewayAddress?.host ?? ofPage };
  }
}
