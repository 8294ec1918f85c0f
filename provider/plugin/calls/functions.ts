import { FunctionError } from '../framework/provider.ts';
import type { Session } from '../framework/session.ts';
import { decodeValue } from '../values/decode.ts';
import { encodeValue } from '../values/encode.ts';
import type { Handlers } from './handlers.ts';

/** Calls the provider's functions, which need no configuration. */
export function functionCalls<W>({ provider, log }: Session<W>): Handlers {
  const functions = new Map(provider.functions.map((definition) => [definition.name, definition]));
  return {
    CallFunction: async ({ name, arguments: given }) => {
      const called = functions.get(name);
      if (called === undefined) return { error: { text: `this version of the provider has no function ${name}` } };
      try {
        const args = called.parameters.map(({ type }, index) => {
          return decodeValue(type, given[index]?.msgpack ?? new Uint8Array(0));
        });
        return { result: { msgpack: encodeValue(called.returns, await called.call(args)) } };
      } catch (error) {
        if (error instanceof FunctionError) {
          // Terraform ends the sentence itself.
          return { error: { text: error.message.replace(/\.$/, ''), functionArgument: error.argument } };
        }
        const message = error instanceof Error ? error.message : String(error);
        log('error', `function ${name}: ${message}`);
        return { error: { text: `mistake in the provider, please report it: ${message}` } };
      }
    },
  };
}
