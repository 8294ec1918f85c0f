import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isPlaintextRemote } from '@rolecall/api';
import { DurationError, parseDuration } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import { listKeys, NetworkError, parseNetwork, type Service, startService } from '@rolecall/server';
import type { CommonOptions, Context } from './command.ts';
import type { DataOptions } from './commands/data-option.ts';
import { CliError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { watchSignals } from './signals.ts';
import { shellWord } from './words.ts';

export interface ServeOptions extends CommonOptions, DataOptions {
  host: string;
  port: number;
  logLevel: string;
  queryRetention: string;
  denyNetwork?: readonly string[];
  allowNetwork?: readonly string[];
  sqliteFolder?: readonly string[];
  databaseUrl?: string;
}

/** Starts the service, says where it is, and closes it in order at the first signal. The second ends it at once. */
export async function serveUntilSignal(context: Context, options: ServeOptions): Promise<ExitCode> {
  const dataDir = resolve(options.data);
  const stopped = Promise.withResolvers<undefined>();
  using _signals = watchSignals(
    () => {
      stopped.resolve(undefined);
    },
    () => process.exit(exitCodes.interrupted),
  );
  const service = await start(context, options, dataDir);
  try {
    await announce(context, service, dataDir, options.host);
    await stopped.promise;
  } finally {
    await service.close();
  }
  return exitCodes.ok;
}

async function start(
  { io }: Context,
  { host, port, logLevel, queryRetention, denyNetwork, allowNetwork, sqliteFolder }: ServeOptions,
  dataDir: string,
): Promise<Service> {
  const queryRetentionSeconds = parseRetention(queryRetention);
  try {
    return await startService({
      dataDir,
      host,
      port,
      environment: io.env,
      queryRetentionSeconds,
      deniedNetworks: checkNetworks('--deny-network', denyNetwork),
      allowedNetworks: checkNetworks('--allow-network', allowNetwork),
      ...(sqliteFolder === undefined ? {} : { sqliteFolders: sqliteFolder.map(checkFolder) }),
      logger: logLevel === 'silent' ? false : { level: logLevel, stream: io.stderr },
    });
  } catch (error) {
    throw describeStartFailure(error, host, port) ?? error;
  }
}

function checkNetworks(option: string, networks: readonly string[] = []): readonly string[] {
  for (const network of networks) {
    try {
      parseNetwork(network);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      throw new CliError('ERR_NETWORK', `${option} ${visible(network)} ${error.message}`);
    }
  }
  return networks;
}

/** A folder that is not there would refuse every file, and nobody would know why. */
function checkFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(folder);
  throw new CliError(
    'ERR_SQLITE_FOLDER',
    `--sqlite-folder ${visible(folder)} is no folder: make it, or correct the path`,
  );
}

/** @returns seconds; 0 for ever */
function parseRetention(text: string): number {
  if (text === '0') return 0;
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CliError(
      'ERR_RETENTION',
      `--query-retention ${visible(text)} ${error.message}: write 24h, 7d, or 0 for ever`,
    );
  }
}

/** Words why the service cannot listen; what is wrong with its folder it says itself. */
function describeStartFailure(error: unknown, host: string, port: number): CliError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const listening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
  if (!listening) return undefined;
  switch (error.code) {
    case 'EADDRINUSE':
      return new CliError(
        'EADDRINUSE',
        `the port ${port} of ${host} is in use: choose another one with --port, 0 for any that is free`,
      );
    case 'EACCES':
      return new CliError(
        'EACCES',
        `the port ${port} may not be listened on by this user: choose one above 1023 with --port`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CliError(error.code, `${host} is no address of this machine: correct --host`);
    default:
      return undefined;
  }
}

async function announce({ io, output }: Context, { url }: Service, dataDir: string, host: string): Promise<void> {
  const hasKeys = (await listKeys({ dataDir, environment: io.env })).length > 0;
  output.document({ url, dataDir });
  output.say(`The workspace is at ${url}, and its data in ${visible(dataDir)}.`);
  if (!hasKeys) {
    output.say(
      `There is no API key yet. Make one with:\n  rolecall keys create --data ${shellWord(dataDir)} --scope admin`,
    );
  }
  if (isPlaintextRemote(`http://${host}`)) {
    output.say('Other machines can reach it, and it speaks plain HTTP: put something that speaks TLS in front of it.');
  }
  output.say('Ctrl-C stops it.');
}
