import { resolve } from 'node:path';
import { isPlaintextRemote } from '@rolecall/api';
import { listKeys, type Service, startService } from '@rolecall/server';
import type { Context } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { logTo } from '../../listening/log-lines.ts';
import { runUntilSignal } from '../../listening/run-until-signal.ts';
import { startOr } from '../../listening/start-failure.ts';
import { productOf } from '../../listening/values.ts';
import { describePlace, placeOptions, type StorePlace, storePlace } from '../../store/store-place.ts';
import { readServeOptions, type ServeOptions } from './serve-options.ts';

/** Milliseconds for which connections without a request are kept: longer than a request from nearby is on its way. */
const graceMs = 200;

/** Starts the service, says where it is, and closes it in order at the first signal. The second ends it at once. */
export async function serveUntilSignal(context: Context, options: ServeOptions): Promise<ExitCode> {
  const { env } = context.io;
  const place = storePlace(env, options);
  const { drainMs, ...given } = readServeOptions(options, env);
  const logger = logTo(context, options.logLevel);
  return runUntilSignal(context.io.signals, {
    start: () => startOr(options, () => startService({ ...given, ...place, environment: env, logger })),
    announce: (service) => announce(context, service, place, options.host),
    close: (service) => service.close(graceMs, drainMs),
  });
}

async function announce(
  { io, output }: Context,
  { url, metricsUrl, gatewayPorts }: Service,
  place: StorePlace,
  host: string,
): Promise<void> {
  const hasKeys = (await listKeys({ ...place, environment: io.env })).length > 0;
  const folder = place.dataDir === undefined ? {} : { dataDir: resolve(place.dataDir) };
  output.document({
    url,
    ...folder,
    ...(Object.keys(gatewayPorts).length === 0 ? {} : { gatewayPorts }),
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
  });
  output.say(`The workspace is at ${url}, and its data in ${describePlace(place)}.`);
  for (const [door, port] of Object.entries(gatewayPorts)) {
    output.say(`Clients of ${productOf(door)} come in on port ${port}: rolecall connect DATA-SOURCE`);
  }
  if (metricsUrl !== undefined) output.say(`Metrics are at ${metricsUrl}, without authentication.`);
  if (!hasKeys) {
    output.say(
      `There is no API key yet. Create one with:\n  rolecall keys create ${placeOptions(place)} --scope admin`,
    );
  }
  if (url.startsWith('http:') && isPlaintextRemote(`http://${host}`)) {
    output.say(
      'Other machines can reach it, and it speaks plain HTTP: give --tls-cert and --tls-key, or put something that speaks TLS in front of it.',
    );
  }
  output.say('Ctrl-C stops it.');
}
