import { findEnded, type Plan } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';

/**
 * Refuses a plan that would grant what has ended by now: it gives nobody anything, and the record would say that access
 * began before anybody granted it.
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
    `${what}: time has moved past what it grants, so nothing was written\n${lines.join('\n')}\n${remedy}`,
    { ended },
  );
}
