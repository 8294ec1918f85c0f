import { CliError } from '../../errors.ts';

/** Where the service was to listen. */
interface Listening {
  host: string;
  port: number;
  metricsHost: string;
  metricsPort?: number;
}

/**
 * Words why the service cannot listen; what is wrong with its folder or its certificate it says itself.
 *
 * @returns undefined for any other error
 */
export function describeStartFailure(error: unknown, options: Listening): CliError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const listening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
  if (!listening) return undefined;
  // Node's errors have the port that was asked for; the name of a host that is not found has none.
  const ofMetrics = 'port' in error && error.port !== options.port && error.port === options.metricsPort;
  const [host, port, prefix] = ofMetrics
    ? [options.metricsHost, options.metricsPort ?? 0, 'metrics-']
    : [options.host, options.port, ''];
  switch (error.code) {
    case 'EADDRINUSE':
      return new CliError(
        'EADDRINUSE',
        `the port ${port} of ${host} is in use: choose another one with --${prefix}port, 0 for any that is free`,
      );
    case 'EACCES':
      return new CliError(
        'EACCES',
        `the port ${port} may not be listened on by this user: choose one above 1023 with --${prefix}port`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CliError(error.code, `${host} is no address of this machine: correct --${prefix}host`);
    default:
      return undefined;
  }
}
