import { DiagnosticError, failure, warning } from '../framework/diagnostics.ts';
import type { VerbContext } from '../framework/resource.ts';
import type { ObjectValue, Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { force, toKeepIt } from './forced-replacement.ts';
import { describePersonFallout, isUnused } from './person-fallout.ts';
import { refuseProtected } from './protection.ts';
import { isTrue, needText } from './values.ts';

/**
 * Lets a person be deleted and made again, with a warning of what falls.
 *
 * @param changed the attributes for which it would be
 * @throws DiagnosticError where that is not allowed
 */
export async function allowReplacement(
  prior: ObjectValue,
  planned: Readonly<Record<string, Value>>,
  changed: readonly string[],
  { workspace, report }: VerbContext<Workspace>,
): Promise<void> {
  const username = needText(prior, 'username');
  const fate = `be deleted, because ${changed.join(' and ')} changed`;
  for (const object of [prior, planned]) refuseProtected(object, { what: 'person', name: username, fate });
  if (!isTrue(planned, 'replace_allowed')) {
    throw new DiagnosticError(
      failure(
        `The person ${username} would be replaced`,
        `People cannot be edited: a changed ${changed.join(' and ')} deletes ${username} and creates another person. Set replace_allowed = true if that is meant, or put the old value back.`,
        [changed[0] ?? 'username'],
      ),
    );
  }
  workspace.replaced.add(needText(prior, 'id'));
  const fallout = await describePersonFallout(needText(prior, 'id'), workspace);
  report(
    warning(
      `Replaces the person ${username}`,
      `People cannot be edited, so ${username} is deleted and created again. ${fallout} What this configuration declares of it is made again; the rest is lost.`,
      [changed[0] ?? 'username'],
    ),
  );
}

/**
 * Lets a person be replaced though nothing of them changed, where that is allowed. Somebody whose create failed half way and
 * whom nothing hangs on loses nothing.
 *
 * @throws DiagnosticError where it is not
 */
export async function forcePerson(
  id: string,
  planned: Readonly<Record<string, Value>>,
  context: VerbContext<Workspace>,
): Promise<void> {
  const { workspace } = context;
  const name = (await workspace.before.people()).byId.get(id)?.username;
  // Who is gone needs no leave to go.
  if (name === undefined) return;
  const refuse = async () => {
    if (isTrue(planned, 'replace_allowed')) return;
    if (workspace.unfinished.has(id) && (await isUnused(id, workspace))) return;
    throw new DiagnosticError(
      failure(
        `The person ${name} would be replaced`,
        `${name} is tainted or to be replaced, which deletes ${name} and creates another person. Set replace_allowed = true if that is meant. ${toKeepIt}`,
        ['username'],
      ),
    );
  };
  const fallout = () => describePersonFallout(id, workspace);
  await force({ kind: 'person', id, name, path: ['username'], fallout, refuse }, planned, context);
}
