import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type DataSourceType, isLoopbackHost, type PersonAnswerOf } from '@rolecall/api';
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
  else io.stdout.write(`${write[form](variables)}\n`);
  return exitCodes.ok;
}

type Form = 'psql' | 'json' | keyof typeof write;

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
): Promise<PersonAnswerOf<'createGatewayPassword'>> {
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

function variablesOf({ gateway, user, database, password }: PersonAnswerOf<'createGatewayPassword'>): Variables {
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

/** How each form is written. */
const write = {
  print: (variables: Variables): string => {
    const { PGSSLMODE: sslmode, PGCHANNELBINDING: binding } = variables;
    const options = sslmode === undefined ? '' : `?sslmode=${sslmode}&channel_binding=${binding}`;
    const login = `${encoded(variables, 'PGUSER')}:${encoded(variables, 'PGPASSWORD')}`;
    return `postgresql://${login}@${placeOf(variables)}${options}`;
  },
  jdbc: (variables: Variables): string => {
    const { PGSSLMODE: sslmode, PGCHANNELBINDING: binding } = variables;
    const options = sslmode === undefined ? '' : `&sslmode=${sslmode}&channelBinding=${binding}`;
    const login = `user=${encoded(variables, 'PGUSER')}&password=${encoded(variables, 'PGPASSWORD')}`;
    return `jdbc:postgresql://${placeOf(variables)}?${login}${options}`;
  },
  env: (variables: Variables): string =>
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellWord(value)}`)
      .join('\n'),
};

function placeOf(variables: Variables): string {
  const host = variables['PGHOST'] ?? '';
  return `${host.includes(':') ? `[${host}]` : host}:${variables['PGPORT']}/${encoded(variables, 'PGDATABASE')}`;
}

function encoded(variables: Variables, name: string): string {
  return encodeURIComponent(variables[name] ?? '');
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
