import { type Plan, type SecretSource, type Surroundings, secretSourcesOf } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import type { Environment } from '../process/io.ts';
import { lookUpPassword } from './secret-source.ts';

/**
 * Looks up every secret that the steps of a saved plan name.
 *
 * @throws CliError that lists all that are not available
 */
export function resolveSavedSecrets(plan: Plan, file: string, env: Environment): Surroundings['resolveSecret'] {
  const secrets = new Map<string, string>();
  const faults: string[] = [];
  for (const { source, object } of secretSourcesOf(plan)) {
    const lookup = lookUpPassword(source, env);
    if ('secret' in lookup) secrets.set(JSON.stringify(source), lookup.secret);
    else faults.push(`  ${object.kind}/${object.name} ${lookup.fault}. ${remedyFor(source, lookup.remedy)}`);
  }
  if (faults.length > 0) {
    throw new CliError(
      'ERR_PLAN_SECRETS',
      `${file}: secrets that the plan needs are not available, so no request was sent\n${[...new Set(faults)].join('\n')}`,
    );
  }
  return (source) => {
    const secret = secrets.get(JSON.stringify(source));
    // Only steps ask, and all of theirs were looked up above.
    return secret === undefined ? Promise.reject(new Error('a secret that no step names')) : Promise.resolve(secret);
  };
}

/** Paths in a plan are relative to where it runs, not to a definition. */
function remedyFor(source: SecretSource, remedy: string): string {
  return 'file' in source ? 'Put the file there, or run in the folder in which the plan was made.' : remedy;
}
