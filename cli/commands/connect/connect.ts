import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DataSourceType, NewGatewayPassword } from '@rolecall/api';
import { parseDuration } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { optionValue } from '../../options/option-value.ts';
import { shellWord } from '../../output/words.ts';
import { findDataSource } from '../../person/find-data-source.ts';
import { type SessionFlags, withSession } from '../../person/with-session.ts';
import { watchSignals } from '../../process/signals.ts';
import { type Made, prefixOf, programsFor, type Variables, variablesOf } from './programs.ts';

export interface ConnectOptions extends CommonOptions, SessionFlags {
  for: string;
  print?: true;
  jdbc?: true;
  env?: true;
}

/** `rolecall connect`. */
export async function connect(
  context: Context,
  dataSource: string,
  clientArguments: readonly string[],
  options: ConnectOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const form = formOf(options, clientArguments);
  const minutes = Math.ceil(optionValue('--for', options.for, parseDuration, 'write 30m or 8h') / 60);
  if (minutes > 24 * 60) throw new CliError('ERR_USAGE', `--for ${visible(options.for)} is more than 24h`);
  const made = await makePassword(context, options, { dataSource, minutes });
  const variables = variablesOf(made);
  if (form === 'json') output.document({ ...made.answer, ...variables });
  else if (form === 'client') return runClient(context, made, clientArguments);
  else io.stdout.write(`${textOf(form, made.answer, variables)}\n`);
  return exitCodes.ok;
}

type TextForm = 'print' | 'jdbc' | 'env';
type Form = 'client' | 'json' | TextForm;

function textOf(form: TextForm, { settings }: NewGatewayPassword, variables: Variables): string {
  if (form === 'env') {
    return Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellWord(value)}`)
      .join('\n');
  }
  return (form === 'print' ? settings?.uri : settings?.jdbc) ?? '';
}

function formOf(options: ConnectOptions, clientArguments: readonly string[]): Form {
  const named = (['print', 'jdbc', 'env'] as const).filter((name) => options[name] === true);
  const forms: Form[] = options.format === 'json' ? [...named, 'json'] : named;
  if (forms.length > 1) throw new CliError('ERR_USAGE', 'give one of --print, --jdbc, --env and --format json');
  const [form = 'client'] = forms;
  if (form === 'client' || clientArguments.length === 0) return form;
  throw new CliError('ERR_USAGE', 'arguments of the client are given, but it is not started');
}

async function makePassword(
  context: Context,
  options: ConnectOptions,
  { dataSource, minutes }: { dataSource: string; minutes: number },
): Promise<Made> {
  return withSession(context, options, async (client) => {
    const { dataSources } = await client.call('listMyAccess', {});
    const { id, type } = findDataSource(dataSource, dataSources);
    const isServed = dataSources.some((access) => access.dataSource.id === id && access.gateway !== null);
    if (!isServed) throw noGateway(visible(dataSource), type);
    const wanted = { params: { dataSource: id }, body: { minutes } };
    return { type, answer: await client.call('createGatewayPassword', wanted) };
  });
}

function noGateway(name: string, type: DataSourceType): CliError {
  const remedy =
    type === 'sqlite'
      ? `${name} is a sqlite data source. Use rolecall query, or the page`
      : `its operator starts one with --gateway-${type}, or says with ${type === 'postgresql' ? '--gateway-address' : `--gateway-${type}-address`} where one is`;
  return new CliError('ERR_NO_GATEWAY', `the service knows of no gateway for ${name}: ${remedy}`);
}

/** The password is in the environment of the client, which no list of processes shows. Ctrl-C is for the client. */
async function runClient({ io }: Context, made: Made, clientArguments: readonly string[]): Promise<ExitCode> {
  using _signals = watchSignals(
    io.signals,
    () => undefined,
    () => undefined,
  );
  const others = Object.entries(io.env).filter(([name]) => !name.startsWith(prefixOf(made)));
  const env = { ...Object.fromEntries(others), ...variablesOf(made) };
  const programs = programsFor(made, io.env);
  for (const { name, args } of programs) {
    const child = spawn(name, [...args, ...clientArguments], { stdio: 'inherit', env });
    try {
      const [code] = (await once(child, 'exit')) as [number | null];
      return code === 0 ? exitCodes.ok : exitCodes.error;
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing) throw error;
    }
  }
  const names = programs.map(({ name }) => name).join(' or ');
  throw new CliError(
    'ERR_NO_GATEWAY',
    `no client is installed: install ${names}, or print what your client needs with --print`,
  );
}
