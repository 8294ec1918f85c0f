import { ConnectionUriError, formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import { DurationError, parseDuration } from '@rolecall/crds';
import { FunctionError, type ProviderFunction } from '../plugin/framework/provider.ts';
import type { Value } from '../plugin/values/value.ts';

/** `provider::rolecall::duration_seconds("8h")`. */
export const durationSeconds: ProviderFunction = {
  name: 'duration_seconds',
  summary: 'The seconds of a duration',
  description: 'Reads a duration such as `8h`, `1h30m`, `7d`, `2w` or `3600`, and gives its seconds.',
  parameters: [{ name: 'duration', type: 'string', description: 'The duration.' }],
  returns: 'number',
  call: ofText(parseDuration),
};

/** `provider::rolecall::redact_uri(uri)`. */
export const redactUri: ProviderFunction = {
  name: 'redact_uri',
  summary: 'A connection URI without its password',
  description: 'Takes the password out of a connection URI, and leaves the rest as it is.',
  parameters: [{ name: 'uri', type: 'string', description: 'The connection URI.' }],
  returns: 'string',
  call: ofText((text) => {
    const { password: _password, ...rest } = parseConnectionUri(text);
    return formatConnectionUri(rest);
  }),
};

/** Calls a function with the only argument. What is wrong with that is an error of the argument. */
function ofText(read: (text: string) => Value): ProviderFunction['call'] {
  return ([text]) =>
    Promise.try(() => {
      try {
        return read(typeof text === 'string' ? text : '');
      } catch (error) {
        if (error instanceof DurationError) throw new FunctionError(`${error.message}. ${error.remedy}`, 0);
        if (error instanceof ConnectionUriError) throw new FunctionError(`the URI ${error.message}`, 0);
        throw error;
      }
    });
}
