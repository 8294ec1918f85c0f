import { readGrants, shortTime } from '@rolecall/reconcile';
import { refusal } from '../../plugin/framework/diagnostics.ts';
import type { VerbContext } from '../../plugin/framework/resource.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { changesHands } from '../shared/adoption.ts';
import { force, type ReplacedKind, toKeepIt } from '../shared/forced-replacement.ts';
import { isTrue } from '../shared/values.ts';

/**
 * Lets a person be replaced though nothing of them changed, where that is allowed. A person whose create failed half way
 * and who has nothing yet loses nothing.
 *
 * @throws DiagnosticError where it is not
 */
export async function forcePerson(
  kind: ReplacedKind,
  id: string,
  planned: ObjectValue,
  context: VerbContext<Workspace>,
): Promise<void> {
  const { workspace } = context;
  const name = (await workspace.before.people()).byId.get(id)?.username;
  // A deleted person needs no permission to go.
  if (name === undefined) return;
  if (workspace.replaced.has(id)) throw changesHands({ what: `the person ${name}`, path: ['username'] });
  const refuse = async () => {
    if (isTrue(planned, 'replace_allowed')) return;
    if (workspace.unfinished.has(id) && (await falloutOf(id, workspace)).length === 0) return;
    throw refusal(
      `The person ${name} would be replaced`,
      `${name} is tainted or to be replaced, which deletes ${name} and creates another person. Set replace_allowed = true if that is meant. ${toKeepIt}`,
      ['username'],
    );
  };
  const fallout = () => describeFallout(id, workspace);
  await force(kind, { id, name, fallout, refuse }, planned, context);
}

/** The losses of a person who is deleted, in words. Reads the person's roles, the permissions and the snippets. */
export async function describeFallout(person: string, workspace: Workspace): Promise<string> {
  const parts = await falloutOf(person, workspace);
  return parts.length === 0 ? 'Nothing else falls with that.' : `With that fall ${parts.join('; ')}.`;
}

async function falloutOf(person: string, { before }: Workspace): Promise<readonly string[]> {
  const { roles, permissions, snippets } = await (await readGrants(before))(person);
  const lists = [
    ['the roles', roles.map(({ name }) => name)],
    [
      'the permissions',
      permissions.map(
        ({ dataSource, expiresAt }) => `on ${dataSource.alias ?? dataSource.name} until ${shortTime(expiresAt)}`,
      ),
    ],
    ['as their owner the snippets', snippets.map(({ activeVersion }) => activeVersion.name)],
  ] as const;
  return lists.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names.join(', ')}`);
}
