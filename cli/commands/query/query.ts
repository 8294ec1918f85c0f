import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CallError, type PersonClient, ProblemError } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { AccessEndedError, CliError, InterruptedError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { findDataSource } from '../../person/find-data-source.ts';
import { openPersonClient, type PersonFlags } from '../../person/open-person-client.ts';
import { type Interrupts, watchInterrupts } from '../../process/interrupts.ts';
import { printHistory } from './history.ts';
import { printResults, type QueryFormat } from './print-results.ts';
import { readSql } from './read-sql.ts';
import { RunningQuery } from './running-query.ts';

export interface QueryOptions extends Omit<CommonOptions, 'format'>, PersonFlags {
  format: QueryFormat;
  file?: string[];
  param?: string[];
  history?: string | true;
}

/** `rolecall query`. */
export async function query(
  context: Context,
  dataSource: string | undefined,
  sql: readonly string[],
  options: QueryOptions,
): Promise<ExitCode> {
  const { io } = context;
  const { history, file: files = [] } = options;
  if (history === undefined && dataSource === undefined) {
    throw new CliError('ERR_USAGE', 'name a data source, as in rolecall query shop "select 1"');
  }
  if (history !== undefined && (dataSource !== undefined || files.length > 0)) {
    throw new CliError('ERR_USAGE', '--history takes a text to look for, and neither a data source nor SQL');
  }
  const commands = history === undefined ? await readSql(sql, files, io.stdin) : [];
  const parameters = readParameters(options.param ?? []);
  if (parameters !== undefined && commands.length !== 1)
    throw new CliError('ERR_USAGE', '--param goes with exactly one statement');
  using interrupts = watchInterrupts(context);
  // Without the signal of the interrupts: after one, the query is still to be cancelled.
  await using client = openPersonClient(options, context, new AbortController().signal);
  try {
    if (history !== undefined) await printHistory(context, client, { ...options, history }, interrupts.abandon);
    else await run(context, client, { dataSource: dataSource ?? '', commands, parameters, options, interrupts });
    return exitCodes.ok;
  } catch (error) {
    if (interrupts.abandon.aborted) throw new InterruptedError('interrupted; the query was cancelled');
    // What became of the output is told at the end, unless its reader has simply had enough.
    if (io.stdout.errored !== null) return exitCodes.ok;
    throw describe(error);
  }
}

interface Wanted {
  readonly dataSource: string;
  readonly commands: string[];
  readonly parameters: Parameters | undefined;
  readonly options: QueryOptions;
  readonly interrupts: Interrupts;
}

async function run(context: Context, client: PersonClient, wanted: Wanted): Promise<void> {
  const { io, output } = context;
  const { commands, parameters, interrupts, options } = wanted;
  const signal = interrupts.abandon;
  const { dataSources } = await client.call('listMyAccess', {}, { signal });
  const source = findDataSource(wanted.dataSource, dataSources);
  const { id: editor } = await client.call('openEditor', { params: { dataSource: source.id } }, { signal });
  const begun = await begin(client, editor, { commands, ...(parameters === undefined ? {} : { parameters }) });
  const running = new RunningQuery(client, begun, signal);
  // A procedure of MySQL gives several results, so that theirs cannot be counted through to a statement.
  const isCounted = commands.length === 1 || source.type === 'postgresql' || source.type === 'sqlite';
  const text = printResults(running, {
    format: options.format,
    style: { palette: output.palette, width: io.stdout.isTTY === true ? io.stdout.columns : undefined },
    tell: (words) => io.stderr.write(`${words}\n`),
    statementOf: (result) => (isCounted ? commands[commands.length === 1 ? 0 : result] : undefined),
  });
  try {
    // One piece waits for a slow reader, not sixteen.
    await pipeline(Readable.from(text, { highWaterMark: 1 }), io.stdout, { end: false, signal });
  } finally {
    if (running.isRunning) await running.cancel();
  }
}

/** Begins the query. Not given up at an interrupt: only its id lets it be cancelled. Never repeated: it may have run. */
async function begin(
  client: PersonClient,
  editor: string,
  body: { commands: string[]; parameters?: Parameters },
): Promise<string> {
  try {
    const { queryId } = await client.call('executeInEditor', { params: { editor }, body });
    return queryId;
  } catch (error) {
    if (!(error instanceof CallError) || error.outcome !== 'unknown') throw error;
    const message = `${error.message}. The query may have been run: rolecall query --history shows it`;
    throw new CliError(error.code === 'ERR_ROLECALL_TIMEOUT' ? error.code : 'ERR_ROLECALL_NETWORK', message);
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  if (error.problem === 'access_ended') return new AccessEndedError(error.detail);
  if (error.problem !== 'signed_out') return error;
  return new AccessEndedError('your session has ended, or your account was locked: run rolecall login');
}

/** Values that the database binds to the parameters of a statement, by name. */
type Parameters = Readonly<Record<string, string>>;

/**
 * Reads `--param name=value`. A leading `$`, `:` or `@` of the name may stand or not.
 *
 * @returns undefined for none
 * @throws CliError if one has no name, or a name comes twice
 */
function readParameters(given: readonly string[]): Parameters | undefined {
  const parameters = new Map<string, string>();
  for (const argument of given) {
    const [, name, value] = /^[$:@?]?(\w{1,63})=([^]*)$/.exec(argument) ?? [];
    if (name === undefined || value === undefined) {
      throw new CliError('ERR_USAGE', `--param takes a name and a value, as in --param 1=42, not ${visible(argument)}`);
    }
    if (parameters.has(name)) throw new CliError('ERR_USAGE', `--param names ${name} twice`);
    parameters.set(name, value);
  }
  return parameters.size === 0 ? undefined : Object.fromEntries(parameters);
}
