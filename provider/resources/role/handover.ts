/** Memberships that go from a list to resources for single members, the other way, or to another list. */

import type { MemberSubject } from '../../workspace/meetings.ts';
import { type Form, type MemberKind, membershipOf } from '../../workspace/members.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** All members of a role. */
export const listOf = (kind: MemberKind, role: string, workspace: Workspace): MemberSubject => ({
  ...{ type: kind.types.list, id: role, what: `the list of the ${kind.plural} in the role ${role}` },
  ...{ kind, role, workspace },
});

/**
 * Enters that a resource ends memberships, or has them after the plan.
 *
 * @param members undefined is one whose id is not known yet: then it may be any
 * @throws DiagnosticError where one resource ends what another one has
 */
export async function enterMemberships(
  state: `given up by ${Form}` | `had by ${Form}`,
  kind: MemberKind,
  role: string,
  members: readonly (string | undefined)[],
  workspace: Workspace,
): Promise<void> {
  for (const member of members) {
    const subject = { kind, role, member, workspace };
    if (member !== undefined) await workspace.ledger.enter({ ...membershipOf(kind, role, member), ...subject }, state);
    // A member who is not known yet may be any of those that are given up.
    if (member === undefined || state.startsWith('given up'))
      await workspace.ledger.enter({ ...membershipOf(kind, role, '*'), ...subject }, state, member);
  }
}
