import { resolve } from 'node:path';
import { isPlaintextRemote } from '@rolecall/api';
import { mapping } from '@rolecall/crds';
import { type Palette, visible } from '@rolecall/reconcile';
import { listKeys, type Service, type ServiceOptions, startService } from '@rolecall/server';
import type { Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { type Signals, watchSignals } from '../../process/signals.ts';
import { describePlace, placeOptions, type StorePlace, storePlace } from '../../store/store-place.ts';
import { readServeOptions, type ServeOptions } from './serve-options.ts';
import { describeStartFailure } from './start-failure.ts';

/** How long connections without a request are kept, in milliseconds: longer than a request from nearby is on its way. */
const graceMs = 200;

/** Starts the service, says where it is, and closes it in order at the first signal. The second ends it at once. */
export async function serveUntilSignal(context: Context, options: ServeOptions): Promise<ExitCode> {
  const place = storePlace(context.io.env, options);
  const stopped = Promise.withResolvers<undefined>();
  using _signals = watchSignals(
    context.io.signals,
    () => {
      stopped.resolve(undefined);
    },
    () => process.exit(exitCodes.interrupted),
  );
  const { drainMs, ...given } = readServeOptions(options, context.io.env);
  const service = await start(context, options, { ...given, ...place });
  using _reloading = given.tls === undefined ? undefined : reloadOnHangUp(context.io.signals, service);
  try {
    await announce(context, service, place, options.host);
    await stopped.promise;
  } finally {
    await service.close(graceMs, drainMs);
  }
  return exitCodes.ok;
}

async function start(context: Context, options: ServeOptions, given: Partial<ServiceOptions>): Promise<Service> {
  const { io, output } = context;
  const stream = io.stderr.isTTY && output.format === 'text' ? linesForPeople(io.stderr, output.palette) : io.stderr;
  try {
    return await startService({
      ...given,
      environment: io.env,
      logger: options.logLevel === 'silent' ? false : { level: options.logLevel, stream },
    });
  } catch (error) {
    throw describeStartFailure(error, options) ?? error;
  }
}

/** Writes the log for people: a line for each record instead of JSON. */
export function linesForPeople(stream: { write: (text: string) => unknown }, palette: Palette) {
  return {
    write(json: string): void {
      stream.write(`${lineOf(json, palette)}\n`);
    },
  };
}

const [warningLevel, errorLevel] = [40, 50];

function lineOf(json: string, { dim, change, remove }: Palette): string {
  const record = mapping(parseJson(json));
  const { time, level, err } = record;
  if (typeof time !== 'number' || typeof level !== 'number') return visible(json.trimEnd());
  const formatField = (name: string, before = '', after = ''): string[] => {
    const value = record[name];
    return typeof value === 'string' || typeof value === 'number' ? [`${before}${value}${after}`] : [];
  };
  const request = [
    formatField('method'),
    formatField('path'),
    formatField('status'),
    formatField('ms', '', ' ms'),
    formatField('keyId', 'key '),
  ].flat();
  const message = record['msg'] === 'request' ? [] : formatField('msg');
  const cause = mapping(err)['message'];
  const text = [...request, ...message, ...(typeof cause === 'string' ? [`(${cause})`] : [])].join(' ');
  const mark = level >= errorLevel ? [remove('error:')] : level >= warningLevel ? [change('warning:')] : [];
  return [dim(new Date(time).toTimeString().slice(0, 8)), ...mark, visible(text)].join(' ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** SIGHUP looks at the certificate at once, as operators of other services know it. */
function reloadOnHangUp(signals: Signals, service: Service): Disposable {
  const reload = () => void service.reloadTls();
  signals.on('SIGHUP', reload);
  return {
    [Symbol.dispose]: () => {
      signals.off('SIGHUP', reload);
    },
  };
}

async function announce(
  { io, output }: Context,
  { url, metricsUrl, gatewayPort }: Service,
  place: StorePlace,
  host: string,
): Promise<void> {
  const hasKeys = (await listKeys({ ...place, environment: io.env })).length > 0;
  const folder = place.dataDir === undefined ? {} : { dataDir: resolve(place.dataDir) };
  output.document({
    url,
    ...folder,
    ...(gatewayPort === undefined ? {} : { gatewayPort }),
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
  });
  output.say(`The workspace is at ${url}, and its data in ${describePlace(place)}.`);
  if (gatewayPort !== undefined)
    output.say(`Clients of PostgreSQL come in on port ${gatewayPort}: rolecall connect DATA-SOURCE`);
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
