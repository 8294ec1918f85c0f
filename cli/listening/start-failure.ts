import { CliError } from '../errors.ts';

/** Address on which the service was to listen. */
interface Listening {
  host: string;
  /** Absent for what serves no HTTP API. */
  port?: number;
  metricsHost: string;
  metricsPort?: number;
  gatewayPostgresql?: { host: string; port: number };
  gatewayMysql?: { host: string; port: number };
  gatewayMariadb?: { host: string; port: number };
}

/** Starts something that listens. @throws CliError that names the option, where it cannot */
export async function startOr<T>(options: Listening, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    throw describeStartFailure(error, options) ?? error;
  }
}

/**
 * Describes why the service cannot listen. Errors about its folder or its certificate have their own messages.
 *
 * @returns undefined for any other error
 */
function describeStartFailure(error: unknown, options: Listening): CliError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const listening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
  if (!listening) return undefined;
  const [host, port, hostOption, portOption] = listenerOf(error, options);
  const noAddress = `${host} is not an address of this machine: correct ${hostOption}`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port ${port} of ${host} is in use: choose another one with ${portOption}, or 0 for any free port`,
    EACCES: `this user may not listen on port ${port}: choose one above 1023 with ${portOption}`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
  };
  const reason = String(error.code);
  const message = messages[reason];
  return message === undefined ? undefined : new CliError('ERR_LISTEN', message, { reason });
}

/** Node's errors have the port that was asked for; the name of a host that is not found has none. */
function listenerOf(
  error: Error,
  options: Listening,
): [host: string, port: number, hostOption: string, portOption: string] {
  const { host, port, metricsHost, metricsPort } = options;
  const failed = 'port' in error && error.port !== port ? error.port : undefined;
  if (failed !== undefined && failed === metricsPort)
    return [metricsHost, metricsPort, '--metrics-host', '--metrics-port'];
  const gateways = {
    '--gateway-postgresql': options.gatewayPostgresql,
    '--gateway-mysql': options.gatewayMysql,
    '--gateway-mariadb': options.gatewayMariadb,
  };
  for (const [option, address] of Object.entries(gateways)) {
    if (address !== undefined && failed === address.port) {
      return [address.host === '' ? host : address.host, address.port, option, option];
    }
  }
  return [host, port ?? 0, '--host', '--port'];
}
