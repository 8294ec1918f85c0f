import { parseDuration } from '@rolecall/crds';
import type { ServiceOptions, TlsFiles } from '@rolecall/server';
import { CliError } from '../errors.ts';
import { checkNetworks } from '../options/networks.ts';
import { optionValue } from '../options/option-value.ts';
import type { ListenerOptions } from './options.ts';

const products: Readonly<Record<string, string>> = { postgresql: 'PostgreSQL', mysql: 'MySQL', mariadb: 'MariaDB' };

/** The product whose clients come in on a port of the gateway. */
export function productOf(door: string): string {
  return products[door] ?? door;
}

type Shared =
  | 'auditStatements'
  | 'deniedNetworks'
  | 'allowedNetworks'
  | 'tls'
  | 'metricsListener'
  | 'gatewayPostgresql'
  | 'gatewayMysql'
  | 'gatewayMariadb';

/** Turns the options of `addListenerOptions` into those of a service or gateway. @throws CliError */
export function readListenerOptions(options: ListenerOptions): Pick<ServiceOptions, Shared> & { drainMs: number } {
  const { metricsHost, metricsPort } = options;
  const tls = readTls(options);
  return {
    auditStatements: options.auditStatements,
    drainMs: readDuration('--shutdown-grace', options.shutdownGrace, 'write 10s, 1m, or 0 to stop at once') * 1000,
    deniedNetworks: checkNetworks('--deny-network', options.denyNetwork),
    allowedNetworks: checkNetworks('--allow-network', options.allowNetwork),
    ...(tls === undefined ? {} : { tls }),
    ...(metricsPort === undefined ? {} : { metricsListener: { host: metricsHost, port: metricsPort } }),
    ...readGateways(options),
  };
}

/** Each listens on the host of the process, unless it has its own. */
function readGateways(options: ListenerOptions): Pick<ServiceOptions, (typeof gateways)[number]> {
  const settings: Pick<ServiceOptions, (typeof gateways)[number]> = {};
  for (const name of gateways) {
    const address = options[name];
    if (address !== undefined) settings[name] = { ...address, host: address.host === '' ? options.host : address.host };
  }
  return settings;
}

const gateways = ['gatewayPostgresql', 'gatewayMysql', 'gatewayMariadb'] as const;

function readTls({ tlsCert, tlsKey }: ListenerOptions): TlsFiles | undefined {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  const [given, missing] = tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
  throw new CliError('ERR_USAGE', `${given} is given without ${missing}: TLS needs both`);
}

/** @returns seconds; 0 for "0" */
export function readDuration(option: string, text: string, remedy: string): number {
  if (text === '0') return 0;
  return optionValue(option, text, parseDuration, remedy);
}
