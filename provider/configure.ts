import { setTimeout } from 'node:timers/promises';
import {
  type Client,
  type ClientOptions,
  ClockSkew,
  createClient,
  ExchangedKeySource,
  ExchangingClient,
  findIdToken,
  type IdTokenSource,
  isPlaintextRemote,
  OptionsError,
  readIdToken,
  type Timeouts,
} from '@rolecall/api';
import { defaultRails } from '@rolecall/crds';
import { argumentNames, defaultMaxRetries, inArguments, percent } from './configuration.ts';
import { type Diagnostic, failure, type Report, refusal, warning } from './plugin/framework/diagnostics.ts';
import type { Configured } from './plugin/framework/provider.ts';
import type { Log } from './plugin/process/log.ts';
import { isUnknown, type ObjectValue } from './plugin/values/value.ts';
import { Workspace } from './workspace/workspace.ts';

/** With more, the objects of an answer would not fit into the memory that flags.ts allows, and the process would die without a word. */
const maxAnswerBytes = 24 * 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

const tokenArguments = ['id_token', 'id_token_file', 'id_token_audience'] as const;

const variables = {
  url: 'ROLECALL_URL',
  key_id: 'ROLECALL_KEY_ID',
  key_secret: 'ROLECALL_KEY_SECRET',
  ca_file: 'ROLECALL_CA_FILE',
} as const;

/**
 * Opens the workspace that a configuration names. Makes no call yet.
 *
 * @returns undefined when something is missing or wrong, which was reported
 */
export function configure(
  env: Environment,
  config: ObjectValue,
  report: Report,
  log: Log,
): Configured<Workspace> | undefined {
  const override = overrideOf(env, report);
  if (override === null) return undefined;
  const rails = {
    maxRemovalPercent: override ?? numberOf(config, 'max_removal_percent') ?? defaultRails.maxRemovalPercent,
    minimumRemoval: numberOf(config, 'minimum_removal') ?? defaultRails.minimumRemoval,
    allowFirstRemoval: env['ROLECALL_ALLOW_FIRST_REMOVAL'] === 'true' || config['allow_first_removal'] === true,
  };
  const adopts = config['adopt'] !== false;
  const given = config['manager'];
  const isNamed = typeof given === 'string';
  const manager = `terraform/${isNamed ? given : 'default'}`;
  const stopped = new AbortController();
  const clock = new ClockSkew();
  const connection = readConnection(config, env, report);
  if (connection === undefined) return undefined;
  if (connection === 'unknown') {
    const workspace = new Workspace({ client: undefined, url: '', clock, rails, adopts, manager, isNamed });
    return { workspace, stop: () => undefined, beginAgain: () => undefined };
  }
  const { url, credentials, caFile } = connection;
  try {
    const client = openClient(credentials, {
      ...clientOptions(config, env, log, clock),
      url,
      ...(caFile === undefined ? {} : { caFile }),
      manager,
      sleep: (ms) => pause(ms, stopped.signal),
    });
    const workspace = new Workspace({ client, url, clock, rails, adopts, manager, isNamed });
    return {
      workspace,
      stop: () => {
        stopped.abort();
      },
      beginAgain: (call) => {
        workspace.beginAgain(call);
      },
    };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    report(
      failure('Invalid provider configuration', `${inArguments(error.message)}.`, [
        argumentNames[error.option ?? 'url'],
      ]),
    );
    return undefined;
  }
}

function clientOptions(config: ObjectValue, env: Environment, log: Log, clock: ClockSkew) {
  return {
    userAgent: 'rolecall-terraform',
    retries: { attempts: 1 + (numberOf(config, 'max_retries') ?? defaultMaxRetries) },
    timeouts: timeoutsOf(config),
    maxAnswerBytes,
    proxies: {
      http: env['HTTP_PROXY'] ?? env['http_proxy'],
      https: env['HTTPS_PROXY'] ?? env['https_proxy'],
      except: env['NO_PROXY'] ?? env['no_proxy'],
    },
    onCall: ({ operationId, method, path, status, attempt, durationMs, date }) => {
      clock.heard(date, durationMs, Date.now());
      log('debug', 'called the workspace', { operationId, method, path, status, attempt, ms: Math.round(durationMs) });
    },
  } satisfies Partial<ClientOptions>;
}

type Credentials =
  | Pick<ClientOptions, 'keyId' | 'keySecret'>
  | { readonly source: IdTokenSource; readonly audience: string };

function openClient(credentials: Credentials, options: Omit<ClientOptions, 'keyId' | 'keySecret'>): Client {
  if (!('source' in credentials)) return createClient({ ...options, ...credentials });
  const { source, audience } = credentials;
  return new ExchangingClient(options, new ExchangedKeySource(options, () => readIdToken(source, audience)));
}

interface Given {
  readonly url: string;
  readonly credentials: Credentials;
  readonly caFile: string | undefined;
}

function readConnection(config: ObjectValue, env: Environment, report: Report): Given | 'unknown' | undefined {
  const names = Object.keys(variables) as (keyof typeof variables)[];
  if ([...names, ...tokenArguments].some((name) => isUnknown(config[name]))) return 'unknown';
  const read = (name: keyof typeof variables): string | undefined => {
    const value = config[name];
    const text = typeof value === 'string' ? value : env[variables[name]];
    return text === '' ? undefined : text;
  };
  const url = read('url');
  if (url === undefined) report(missing('url'));
  const credentials = readCredentials(config, env, read, url ?? '', report);
  if (url === undefined || credentials === undefined) return undefined;
  if (isPlaintextRemote(url)) {
    report(
      warning(
        'The API key is sent unencrypted',
        `${url} is plain HTTP to another machine: the API key is sent unencrypted, and so are passwords. Use https.`,
        ['url'],
      ),
    );
  }
  return { url, credentials, caFile: read('ca_file') };
}

const missing = (name: keyof typeof variables, more = ''): Diagnostic =>
  failure(
    `The provider's ${name} is missing`,
    `Set ${name} in the provider's configuration, or the environment variable ${variables[name]}.${more}`,
    [name],
  );

/** A key, or without any part of one, the token of the pipeline's platform. */
function readCredentials(
  config: ObjectValue,
  env: Environment,
  read: (name: keyof typeof variables) => string | undefined,
  url: string,
  report: Report,
): Credentials | undefined {
  const [keyId, keySecret] = [read('key_id'), read('key_secret')];
  const { id_token: token, id_token_file: file, id_token_audience: audience } = config;
  const source = findIdToken({
    ...env,
    ...(typeof file === 'string' ? { ROLECALL_ID_TOKEN: '', ROLECALL_ID_TOKEN_FILE: file } : {}),
    ...(typeof token === 'string' ? { ROLECALL_ID_TOKEN: token } : {}),
  });
  if (keyId === undefined && keySecret === undefined && source !== undefined) {
    const given = typeof audience === 'string' ? audience : env['ROLECALL_ID_TOKEN_AUDIENCE'];
    return { source, audience: given === undefined || given === '' ? url : given };
  }
  const hint = ' In a pipeline, the token of its platform can take the place of a key (id_token_file).';
  if (keyId === undefined) report(missing('key_id', hint));
  if (keySecret === undefined) report(missing('key_secret'));
  if (keyId === undefined || keySecret === undefined) return undefined;
  const faults = (['key_id', 'key_secret'] as const).flatMap((name) => blanksAround(name, config, read(name) ?? ''));
  faults.forEach(report);
  return faults.length > 0 ? undefined : { keyId, keySecret };
}

/** The workspace would say only that it does not know the key. The value itself is never shown. */
function blanksAround(name: 'key_id' | 'key_secret', config: ObjectValue, text: string): Diagnostic[] {
  if (text === text.trim()) return [];
  const isConfigured = typeof config[name] === 'string';
  const what = isConfigured ? `The provider's ${name}` : `The environment variable ${variables[name]}`;
  const fault = /[\r\n]$/.test(text) ? 'ends with a line break' : 'has white space around it';
  const remedy = isConfigured ? 'as trimspace() does' : 'such as the line break that a file ends with';
  return [
    failure(`${what} ${fault}`, `${what} ${fault}, which is no part of the key. Take that off, ${remedy}.`, [name]),
  ];
}

function numberOf(config: ObjectValue, name: string): number | undefined {
  const value = config[name];
  return typeof value === 'number' ? value : undefined;
}

function timeoutsOf(config: ObjectValue): Partial<Timeouts> {
  const seconds = numberOf(config, 'request_timeout');
  return seconds === undefined ? {} : { headersMs: seconds * 1000, bodyMs: seconds * 1000 };
}

/** Null when it is no share, which was reported. */
function overrideOf(env: Environment, report: Report): number | undefined | null {
  const text = env['ROLECALL_MAX_REMOVAL_PERCENT'];
  if (text === undefined || text === '') return undefined;
  const fault = percent(/^\d+(\.\d+)?$/.test(text) ? Number(text) : null);
  if (fault === undefined) return Number(text);
  report(failure('ROLECALL_MAX_REMOVAL_PERCENT is wrong', `It ${fault.message}. ${fault.remedy}`));
  return null;
}

/** Between two attempts of a call; cut short when Terraform is asked to stop. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {
    throw refusal('Interrupted', 'Terraform was asked to stop while the provider waited to try again. Apply again.');
  });
}
