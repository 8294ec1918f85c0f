import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { ServeOptions } from '../serving.ts';
import { dataOption } from './data-option.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** `rolecall serve`. */
export function addServe(program: Command, run: Run): void {
  addCommand(program, 'serve', 'start the workspace service', 'rolecall serve --data ./rolecall-data --port 8480')
    .addOption(dataOption())
    .option('--port <port>', 'the port to listen on; 0 for any that is free', parsePort, 8480)
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .addOption(
      new Option('--log-level <level>', 'what to log, as JSON lines on standard error')
        .choices(logLevels)
        .default('info'),
    )
    .option('--query-retention <duration>', 'how long completed queries are kept, such as 7d; 0 for ever', '24h')
    .option(
      '--deny-network <network>',
      'a network that data sources must not lead to, such as 10.0.0.0/8; may be given again',
      gather,
    )
    .option('--allow-network <network>', 'one that they may lead to, although a larger one is denied', gather)
    .option('--sqlite-folder <dir>', 'where SQLite files must be that are data sources; may be given again', gather)
    .option('--database-url <url>', 'a PostgreSQL store for several replicas (comes later)')
    .addOption(formatOption('text', 'json'))
    .action(run(serve));
}

/** Runs until a signal comes. */
async function serve(context: Context, options: ServeOptions): Promise<ExitCode> {
  if (options.databaseUrl !== undefined) {
    // The URL is not repeated: it has a password in it.
    throw new CliError(
      'ERR_NOT_YET',
      '--database-url comes with a later version: use --data, which needs nothing else',
    );
  }
  const { serveUntilSignal } = await import('../serving.ts');
  return serveUntilSignal(context, options);
}

function gather(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}
