import { OptionsError, parseBaseUrl } from '@rolecall/api';
import { type Fault, optional, type Schema } from './plugin/framework/schema.ts';
import type { Value } from './plugin/values/value.ts';

/** With the client's pauses, long enough for a restart of the service. */
export const defaultMaxRetries = 8;

/** The arguments of the provider for the client's options. */
export const argumentNames = { url: 'url', keyId: 'key_id', keySecret: 'key_secret', caFile: 'ca_file' } as const;

/** A message of the client in the words of a configuration. What that cannot set is no advice. */
export function inArguments(message: string): string {
  const text = message
    .replace(/the timeout (?:headers|body)Ms/, 'request_timeout')
    .replace(/, or raise the timeout \w+Ms/, '')
    .replace(' (maxAnswerBytes)', '');
  return Object.entries(argumentNames).reduce((all, [option, name]) => all.replaceAll(option, name), text);
}

export const percent = (value: Value): Fault | undefined =>
  typeof value === 'number' && value >= 0 && value <= 100
    ? undefined
    : { message: 'must be a number from 0 to 100', remedy: 'Write the share in percent, such as 25.' };

const count = (value: Value): Fault | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : { message: 'must be a whole number', remedy: 'Write a number of objects, such as 10.' };

const between =
  (least: number, most: number, remedy: string) =>
  (value: Value): Fault | undefined =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : { message: `must be a whole number from ${least} to ${most}`, remedy };

const webAddress = (value: Value): Fault | undefined => {
  if (value === '') return undefined;
  try {
    parseBaseUrl(typeof value === 'string' ? value : '');
    return undefined;
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return {
      message: 'is not the address of a workspace',
      remedy: 'Write it as in https://workspace.example.com, without a key, parameters or /api/v2.',
    };
  }
};

const keyId = (value: Value): Fault | undefined =>
  typeof value === 'string' && value.includes(':')
    ? { message: 'contains a colon', remedy: 'Write the id of the key alone; the secret is key_secret.' }
    : undefined;

const managerName = (value: Value): Fault | undefined =>
  typeof value === 'string' && /^[!-:<-~]{1,90}$/.test(value)
    ? undefined
    : {
        message: 'must be 1 to 90 visible ASCII characters without a semicolon',
        remedy: 'Write a name such as team-data.',
      };

export const configurationSchema: Schema = {
  version: 0,
  description:
    'Database access as code: the data sources, people, roles, permissions and snippets of a query workspace.',
  attributes: {
    url: optional(
      'string',
      'Where the workspace is, such as `https://workspace.example.com`. Default: `ROLECALL_URL`.',
      webAddress,
    ),
    key_id: optional('string', 'The id of the API key. Default: `ROLECALL_KEY_ID`.', keyId),
    key_secret: {
      ...optional(
        'string',
        'The secret of the API key. Default: `ROLECALL_KEY_SECRET`, which keeps it out of the configuration.',
      ),
      sensitive: true,
    },
    id_token: {
      ...optional(
        'string',
        "The token of a pipeline's OpenID provider, which the provider exchanges for a key that lasts minutes, where no key is given. The service accepts each token once, and Terraform starts a provider several times a command: use it only if each read gives a new token. Default: `ROLECALL_ID_TOKEN`.",
      ),
      sensitive: true,
    },
    id_token_file: optional(
      'string',
      'A file with that token, read again for each exchange. Default: `ROLECALL_ID_TOKEN_FILE`; on GitHub, the provider asks the runner for a token.',
    ),
    id_token_audience: optional(
      'string',
      'The audience of the token: the one that GitHub is asked for. A token for another one is not sent. Default: `ROLECALL_ID_TOKEN_AUDIENCE`, or `url`.',
    ),
    ca_file: optional(
      'string',
      "A file of certificates in PEM that are trusted instead of the system's. Default: `ROLECALL_CA_FILE`.",
    ),
    max_retries: optional(
      'number',
      `How often the provider repeats a request that failed for a moment, as while the service restarts. The pauses double, up to 5 seconds each. Default: ${defaultMaxRetries}, about 10 seconds.`,
      between(0, 100, `Write a number of retries, such as ${defaultMaxRetries}.`),
    ),
    request_timeout: optional(
      'number',
      'How many seconds the provider waits for the answer to a request, and for each further part of it. Default: 60.',
      between(1, 3600, 'Write a number of seconds, such as 60.'),
    ),
    adopt: optional(
      'bool',
      'Whether objects that exist already are taken over on create, with a warning. Resources can say otherwise, and see `manager`. Default: `true`.',
    ),
    max_removal_percent: optional(
      'number',
      'The largest share of a collection that one plan may remove, in percent. For one command, `ROLECALL_MAX_REMOVAL_PERCENT` overrides it. Default: 15.',
      percent,
    ),
    allow_first_removal: optional(
      'bool',
      'Whether a `rolecall_role_people` or `rolecall_role_data_sources` that is created may remove members that others added to the role. For one command, `ROLECALL_ALLOW_FIRST_REMOVAL=true` allows it. Default: `false`.',
    ),
    manager: optional(
      'string',
      'How the workspace names this configuration to other managers of the same objects, so give each configuration a name of its own. With one, `adopt = false` lets through what an apply of this configuration made that was killed. 1 to 90 visible ASCII characters without a semicolon. Default: `default`.',
      managerName,
    ),
    minimum_removal: optional(
      'number',
      'A plan that removes fewer than this is never refused for their share. Default: 10.',
      count,
    ),
  },
};
