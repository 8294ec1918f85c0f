import { type GatewayProcess, startGateway } from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { logTo } from '../../listening/log-lines.ts';
import type { ListenerOptions } from '../../listening/options.ts';
import { runUntilSignal } from '../../listening/run-until-signal.ts';
import { startOr } from '../../listening/start-failure.ts';
import { productOf, readListenerOptions } from '../../listening/values.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { describePlace, storePlace } from '../../store/store-place.ts';

interface GatewayCommandOptions extends CommonOptions, StoreOptions, ListenerOptions {}

/** Starts a gateway, says where clients come in, and closes it in order at the first signal. The second ends it at once. */
export async function gateway(context: Context, options: GatewayCommandOptions): Promise<ExitCode> {
  const { env } = context.io;
  const place = storePlace(env, options);
  if (place.dataDir !== undefined) {
    throw new CliError(
      'ERR_STORE_LOCATION',
      `only one process can serve ${describePlace(place)}: start the gateway within it (rolecall serve --gateway-postgresql), or keep the store in PostgreSQL (--database-url)`,
    );
  }
  const { drainMs, ...given } = readListenerOptions(options);
  if ((given.gatewayPostgresql ?? given.gatewayMysql ?? given.gatewayMariadb) === undefined) {
    throw new CliError(
      'ERR_USAGE',
      'say where clients come in: give --gateway-postgresql, as in :6432, or --gateway-mysql',
    );
  }
  const { databaseUrl } = place;
  const logger = logTo(context, options.logLevel);
  return runUntilSignal(context.io.signals, {
    start: () => startOr(options, () => startGateway({ ...given, databaseUrl, environment: env, logger })),
    announce: (started) => {
      announce(context, started, describePlace(place));
    },
    close: (started) => started.close(drainMs),
  });
}

function announce({ output }: Context, { gatewayPorts, statusUrl }: GatewayProcess, place: string): void {
  output.document({ gatewayPorts, ...(statusUrl === undefined ? {} : { statusUrl }) });
  for (const [door, port] of Object.entries(gatewayPorts)) {
    output.say(`Clients of ${productOf(door)} come in on port ${port}, by what the store in ${place} grants.`);
  }
  if (statusUrl !== undefined) {
    output.say(
      `Its state is at ${statusUrl}/healthz and /readyz, and its metrics at /metrics, without authentication.`,
    );
  }
  output.say('Ctrl-C stops it.');
}
