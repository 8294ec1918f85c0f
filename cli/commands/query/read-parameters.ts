import { visible } from '@rolecall/reconcile';
import { CliError } from '../../errors.ts';

/** What the database binds to the parameters of a statement, by name. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * Reads `--param name=value`. A leading `$`, `:` or `@` of the name may stand or not.
 *
 * @returns undefined for none
 * @throws CliError if one has no name, or a name comes twice
 */
export function readParameters(given: readonly string[]): Parameters | undefined {
  const found = new Map<string, string>();
  for (const one of given) {
    const [, name, value] = /^[$:@?]?(\w{1,63})=([^]*)$/.exec(one) ?? [];
    if (name === undefined || value === undefined) {
      throw new CliError('ERR_USAGE', `--param takes a name and a value, as in --param 1=42, not ${visible(one)}`);
    }
    if (found.has(name)) throw new CliError('ERR_USAGE', `--param names ${name} twice`);
    found.set(name, value);
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}
