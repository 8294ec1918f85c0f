import { type Command, InvalidArgumentError, Option } from 'commander';
import { gather } from '../command.ts';

/** The host is empty where only a port is given. */
interface HostAndPort {
  host: string;
  port: number;
}

/** The options of a process that people connect to: what it listens on, where it connects to, and how it is watched. */
export interface ListenerOptions {
  host: string;
  logLevel: string;
  auditStatements: 'text' | 'digest';
  denyNetwork?: readonly string[];
  allowNetwork?: readonly string[];
  tlsCert?: string;
  tlsKey?: string;
  metricsPort?: number;
  metricsHost: string;
  gatewayPostgresql?: HostAndPort;
  gatewayMysql?: HostAndPort;
  gatewayMariadb?: HostAndPort;
  shutdownGrace: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** @param help.shows what --metrics-port does; @param help.stops how the process is for the time of --shutdown-grace */
export function addListenerOptions(command: Command, { shows, stops }: { shows: string; stops: string }): Command {
  return command
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .addOption(
      new Option(
        '--gateway-postgresql <address>',
        'let people in with their own PostgreSQL clients on this [host]:port, such as :6432 (default host: that of --host)',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option(
        '--gateway-mysql <address>',
        'the same for clients of MySQL, such as :6433; and of MariaDB, if it has no port of its own',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option('--gateway-mariadb <address>', 'the same for clients of MariaDB, such as :6434').argParser(
        parseAddress,
      ),
    )
    .option(
      '--tls-cert <file>',
      'speak TLS with this certificate and those after it, in PEM; read anew when it changes',
    )
    .option('--tls-key <file>', 'the key of the certificate, in PEM')
    .option(
      '--deny-network <network>',
      'a network that data sources must not lead to, such as 10.0.0.0/8; may be repeated',
      gather,
    )
    .option(
      '--allow-network <network>',
      'one that they may lead to although it is denied, such as 127.0.0.0/8 for this machine',
      gather,
    )
    .addOption(
      new Option('--audit-statements <how>', 'how the audit trail records the statements that people run')
        .choices(['text', 'digest'])
        .default('text'),
    )
    .addOption(
      new Option('--log-level <level>', 'what to log on standard error: as JSON lines, on a terminal as text')
        .choices(logLevels)
        .default('info'),
    )
    .option('--metrics-port <port>', `${shows} on this port, without a key`, parsePort)
    .option('--metrics-host <host>', 'the address for that', '127.0.0.1')
    .option('--shutdown-grace <duration>', `${stops} before stopping, such as 10s`, '0');
}

/** @returns the host without brackets; empty where there is none */
export function parseAddress(text: string): { host: string; port: number } {
  const [, inBrackets, plain = '', digits = ''] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:\s]*)):(\d{1,5})$/.exec(text) ?? [];
  if (digits === '') throw new InvalidArgumentError('It must be a host and a port, as in 127.0.0.1:6432 or :6432.');
  return { host: inBrackets ?? plain, port: parsePort(digits) };
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}
