import { CliError } from '../errors.ts';
import { type Environment, variable } from '../process/io.ts';

/** A shorter key could be found by trial from one signed plan. */
const shortest = 16;

/**
 * The key that signs saved plans and checks their signatures, from `ROLECALL_PLAN_KEY`; undefined where none is set.
 *
 * @throws CliError for a key that is too short to be one
 */
export function findPlanKey(env: Environment): string | undefined {
  const key = variable(env, 'ROLECALL_PLAN_KEY');
  if (key === undefined || key.length >= shortest) return key;
  throw new CliError(
    'ERR_PLAN_KEY',
    `ROLECALL_PLAN_KEY has ${key.length} characters and needs ${shortest} or more: set it to the output of openssl rand -hex 32`,
  );
}
