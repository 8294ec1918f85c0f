import { DurationError, parseDuration } from '@rolecall/crds';
import { FunctionError, type ProviderFunction } from '../plugin/framework/provider.ts';

/** `provider::rolecall::duration_seconds("8h")`. */
export const durationSeconds: ProviderFunction = {
  name: 'duration_seconds',
  summary: 'The seconds of a duration',
  description: 'Reads a duration such as `8h`, `1h30m`, `7d`, `2w` or `3600`, and gives its seconds.',
  parameters: [{ name: 'duration', type: 'string', description: 'The duration.' }],
  returns: 'number',
  call: ([duration]) =>
    Promise.try(() => {
      try {
        return parseDuration(typeof duration === 'string' ? duration : '');
      } catch (error) {
        if (error instanceof DurationError) throw new FunctionError(`${error.message}. ${error.remedy}`, 0);
        throw error;
      }
    }),
};
