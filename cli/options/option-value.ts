import { DurationError, TimestampError } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';

/**
 * Reads the value of an option that is a duration or a time.
 *
 * @param remedy what to write instead; the parser's own remedy where it is left out
 * @throws CliError that names the option, its value and the remedy
 */
export function optionValue<T>(option: string, text: string, parse: (text: string) => T, remedy?: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof DurationError || error instanceof TimestampError)) throw error;
    const advice = remedy === undefined ? `. ${error.remedy.replace(/\.$/, '')}` : `: ${remedy}`;
    throw new CliError('ERR_USAGE', `${option} ${visible(text)} ${error.message}${advice}`);
  }
}
