import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type DataSourceType, isLoopbackHost, type NewGatewayPassword } from '@rolecall/api';
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

export interface ConnectOptions extends CommonOptions, SessionFlags {
  for: string;
  print?: true;
  jdbc?: true;
  env?: true;
}

/** What a client of PostgreSQL needs, by the names of libpq's variables. */
type Variables = Readonly<Record<string, string>>;

/** `rolecall connect`. */
export async function connect(
  context: Context,
  dataSource: string,
  psqlArguments: readonly string[],
  options: ConnectOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const form = formOf(options, psqlArguments);
  const minutes = Math.ceil(optionValue('--for', options.for, parseDuration, 'write 30m or 8h') / 60);
  if (minutes > 24 * 60) throw new CliError('ERR_USAGE', `--for ${visible(options.for)} is more than 24h`);
  const made = await makePassword(context, options, { dataSource, minutes });
  const variables = variablesOf(made);
  if (form === 'json') output.document({ ...made, ...variables });
  else if (form === 'psql') return runPsql(context, variables, psqlArguments);
  else io.stdout.write(`${textOf(form, made, variables)}\n`);
  return exitCodes.ok;
}

type TextForm = 'print' | 'jdbc' | 'env';
type Form = 'psql' | 'json' | TextForm;

function textOf(form: TextForm, { settings }: NewGatewayPassword, variables: Variables): string {
  if (form === 'env') {
    return Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellWord(value)}`)
      .join('\n');
  }
  return (form === 'print' ? settings?.uri : settings?.jdbc) ?? '';
}

function formOf(options: ConnectOptions, psqlArguments: readonly string[]): Form {
  const named = (['print', 'jdbc', 'env'] as const).filter((name) => options[name] === true);
  const forms: Form[] = options.format === 'json' ? [...named, 'json'] : named;
  if (forms.length > 1) throw new CliError('ERR_USAGE', 'give one of --print, --jdbc, --env and --format json');
  const [form = 'psql'] = forms;
  if (form === 'psql' || psqlArguments.length === 0) return form;
  throw new CliError('ERR_USAGE', 'arguments of psql are given, but psql is not started');
}

async function makePassword(
  context: Context,
  options: ConnectOptions,
  { dataSource, minutes }: { dataSource: string; minutes: number },
): Promise<NewGatewayPassword> {
  return withSession(context, options, async (client) => {
    const { dataSources } = await client.call('listMyAccess', {});
    const { id, type } = findDataSource(dataSource, dataSources);
    const isServed = dataSources.some((one) => one.dataSource.id === id && one.gateway !== null);
    if (!isServed) throw noGateway(visible(dataSource), type);
    return client.call('createGatewayPassword', { params: { dataSource: id }, body: { minutes } });
  });
}

function noGateway(name: string, type: DataSourceType): CliError {
  const remedy =
    type === 'postgresql'
      ? 'its operator starts one with --gateway-postgresql, or says with --gateway-address where one is'
      : `${name} is a ${type} data source. Use rolecall query, or the page`;
  return new CliError('ERR_NO_GATEWAY', `the service knows of no gateway for ${name}: ${remedy}`);
}

function variablesOf({ gateway, user, database, password }: NewGatewayPassword): Variables {
  if (gateway === null) throw new CliError('ERR_NO_GATEWAY', 'the service knows of no gateway');
  // Channel binding proves that the server at the other end of the TLS connection knows the password.
  const encryption = { PGSSLMODE: 'require', PGCHANNELBINDING: 'require' };
  return {
    PGHOST: gateway.host,
    PGPORT: String(gateway.port),
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password,
    ...(isLoopbackHost(gateway.host) ? {} : encryption),
  };
}

/** The password is in the environment of psql, which no list of processes shows. Ctrl-C is for psql. */
async function runPsql({ io }: Context, variables: Variables, psqlArguments: readonly string[]): Promise<ExitCode> {
  using _signals = watchSignals(
    io.signals,
    () => undefined,
    () => undefined,
  );
  // Other variables of libpq could lead elsewhere.
  const others = Object.entries(io.env).filter(([name]) => !name.startsWith('PG'));
  const env = { ...Object.fromEntries(others), ...variables };
  const child = spawn('psql', psqlArguments, { stdio: 'inherit', env });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0 ? exitCodes.ok : exitCodes.error;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw error;
    throw new CliError(
      'ERR_NO_GATEWAY',
      'psql is not installed: install it, or print what your client needs with --print',
    );
  }
}
