import { findEnded, type Plan } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';

/**
 * Refuses a plan with permissions that have ended since it was made: they would give no access, and the record would show
 * access that began before it was granted.
 *
 * @param what the plan, at the beginning of the message
 * @throws CliError that lists the permissions
 */
export function failIfEnded(plan: Plan, what: string, remedy: string): void {
  const ended = findEnded(plan, new Date());
  if (ended.length === 0) return;
  const lines = ended.map(({ object, expiresAt }) => `  ${object} ended at ${expiresAt}`);
  throw new CliError(
    'ERR_PLAN_OUTDATED',
    `${what}: permissions in it have ended, so nothing was written\n${lines.join('\n')}\n${remedy}`,
    { ended },
  );
}
