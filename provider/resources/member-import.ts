import { dataSourceKey, personKey, roleKey } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type MemberKind, membersOf } from './member-kind.ts';

/**
 * Finds a membership by `role/member`, each an id or a natural key. Names may have slashes, so every place to part them
 * is tried.
 *
 * @throws DiagnosticError when several memberships could be meant, or there is no slash
 */
export async function findMembership(
  kind: MemberKind,
  text: string,
  workspace: Workspace,
): Promise<{ role: string; member: string } | undefined> {
  const parts = text.split('/');
  if (parts.length < 2) {
    throw new DiagnosticError(
      failure(
        'Not a membership',
        `Write ${JSON.stringify(text)} as ROLE/${kind.one.toUpperCase()}, each an id or a name, such as analysts/${kind.noun === 'person' ? 'ada' : 'billing'}.`,
      ),
    );
  }
  const found = new Map<string, { role: string; member: string }>();
  for (let cut = 1; cut < parts.length; cut += 1) {
    const role = await findRole(parts.slice(0, cut).join('/'), workspace);
    if (role === undefined) continue;
    const name = parts.slice(cut).join('/');
    const members = (await membersOf(kind, role, workspace, 'now')) ?? [];
    const member = members.find(({ id }) => id === name) ?? members.find((each) => isNamed(kind, each.name, name));
    if (member !== undefined) found.set(`${role}/${member.id}`, { role, member: member.id });
  }
  if (found.size > 1) {
    throw new DiagnosticError(
      failure('Several memberships', `${text} could be any of ${[...found.keys()].join(', ')}. Import one of these.`),
    );
  }
  return [...found.values()][0];
}

/** The id of a role, by its id or its name. */
export async function findRole(text: string, workspace: Workspace): Promise<string | undefined> {
  const { byId, byKey } = await workspace.view().roles();
  return (byId.get(text) ?? byKey.get(roleKey(text))?.[0])?.id;
}

function isNamed({ collection }: MemberKind, one: string, other: string): boolean {
  return collection === 'people' ? personKey(one) === personKey(other) : dataSourceKey(one) === dataSourceKey(other);
}
