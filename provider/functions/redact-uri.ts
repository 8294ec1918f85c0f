import { ConnectionUriError, formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import { FunctionError, type ProviderFunction } from '../plugin/framework/provider.ts';

/** `provider::rolecall::redact_uri(uri)`. */
export const redactUri: ProviderFunction = {
  name: 'redact_uri',
  summary: 'A connection URI without its password',
  description: 'Takes the password out of a connection URI, and leaves the rest as it is.',
  parameters: [{ name: 'uri', type: 'string', description: 'The connection URI.' }],
  returns: 'string',
  call: ([uri]) =>
    Promise.try(() => {
      try {
        const { password: _left, ...rest } = parseConnectionUri(typeof uri === 'string' ? uri : '');
        return formatConnectionUri(rest);
      } catch (error) {
        if (error instanceof ConnectionUriError) throw new FunctionError(`the URI ${error.message}`, 0);
        throw error;
      }
    }),
};
