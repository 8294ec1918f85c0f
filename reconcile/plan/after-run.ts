import { holds } from '../model/membership-window.ts';
import type { Step } from '../model/step.ts';
import { type AccessFacts, type AccessMember, type AccessRole, grantState } from '../view/access.ts';
import { afterSteps } from '../view/outcome.ts';

/**
 * The facts after a run, as the rails count them: what is to come counts, but what someone has at this moment and after the run only
 * later is gone. A wrong year would otherwise empty a role unseen.
 */
export function afterRun(facts: AccessFacts, steps: readonly Step[], now: Date): AccessFacts {
  const after = afterSteps(facts, steps);
  const roles = new Map(facts.roles.map((role) => [role.key, role]));
  const active = new Set(
    facts.permissions.filter((permission) => grantState(permission, now) === 'active').map(pairOf),
  );
  return {
    ...after,
    roles: after.roles.map((role) => withoutPostponed(role, roles.get(role.key), now)),
    permissions: after.permissions.filter(
      (permission) => grantState(permission, now) !== 'future' || !active.has(pairOf(permission)),
    ),
  };
}

const pairOf = ({ person, dataSource }: AccessFacts['permissions'][number]): string => `${person} ${dataSource}`;

function withoutPostponed(role: AccessRole, roleBefore: AccessRole | undefined, now: Date): AccessRole {
  const isHeld = ({ windows }: AccessMember): boolean => holds(windows, now);
  if (roleBefore === undefined || role.people.every(isHeld)) return role;
  const had = new Set(roleBefore.people.filter(isHeld).map(({ key }) => key));
  return { ...role, people: role.people.filter((member) => isHeld(member) || !had.has(member.key)) };
}
