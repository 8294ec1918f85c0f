import { CliError } from '../../errors.ts';

/** Where the service was to listen. */
interface Listening {
  host: string;
  port: number;
  metricsHost: string;
  metricsPort?: number;
}

/**
 * Describes why the service cannot listen. Errors about its folder or its certificate have their own messages.
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
  const noAddress = `${host} is not an address of this machine: correct --${prefix}host`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port ${port} of ${host} is in use: choose another one with --${prefix}port, or 0 for any free port`,
    EACCES: `this user may not listen on port ${port}: choose one above 1023 with --${prefix}port`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
  };
  const reason = String(error.code);
  const message = messages[reason];
  return message === undefined ? undefined : new CliError('ERR_LISTEN', message, { reason });
}
