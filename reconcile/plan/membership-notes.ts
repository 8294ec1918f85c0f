import { roleKey } from '../model/keys.ts';
import { listUpTo, type Note, type Step } from '../model/step.ts';
import { does, subjectId } from '../operations/table.ts';
import type { View } from '../view/view.ts';
import type { Turnover, Turnovers } from './membership-loss.ts';

/** The names of the snippets that roles own and keep in a run, by the id of the role. */
export type OwnedSnippets = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the snippets of the roles that people leave. Where nothing has read the snippets yet, reads them only if much depends on them:
 * many leave, or a role is emptied and a reader is to be told.
 */
export async function ownedSnippets(
  { left, roles }: Turnovers,
  steps: readonly Step[],
  view: View,
  { minimumRemoval, bare }: { minimumRemoval: number; bare: boolean },
): Promise<OwnedSnippets> {
  const leaving = roles.filter(isLeft);
  if (leaving.length === 0) return new Map();
  const isMuch = left >= minimumRemoval || (!bare && leaving.some((turnover) => isEmptied(turnover, view)));
  const snippets = view.peek('snippets') ?? (isMuch ? await view.snippets() : undefined);
  const owned = new Map(leaving.map(({ role }): [string, string[]] => [role.key, []]));
  const gone = new Set(steps.filter(takesSnippet).map(subjectId));
  for (const { id, ownerRole, activeVersion } of snippets?.all ?? []) {
    if (ownerRole !== null && !gone.has(id)) owned.get(ownerRole.id)?.push(activeVersion.name);
  }
  return new Map([...owned].filter(([, names]) => names.length > 0));
}

const isLeft = ({ stays, left }: Turnover): boolean => stays && left.length > 0;

const isEmptied = ({ role, left }: Turnover, view: View): boolean =>
  view.peek(`rolePeople ${role.key}`)?.all.length === left.length;

/** True if a step deletes a snippet, or gives it to an owner. */
const takesSnippet = (step: Step): boolean =>
  does(step, 'delete', 'snippet') || (does(step, 'edit', 'snippet') && step.body?.owner !== undefined);

/** Names who leaves the role of the administrators, or a role that owns snippets. */
export function membershipNotes({ roles }: Turnovers, owned: OwnedSnippets, adminRole: string | undefined): Note[] {
  return roles.flatMap(({ role: { key, name }, left }): Note[] => {
    if (left.length === 0) return [];
    const object = `Role/${name}`;
    const names = listUpTo(
      mostNamed,
      left.map(({ username }) => username),
    );
    const snippets = owned.get(key);
    const isAdmin = adminRole !== undefined && roleKey(adminRole) === roleKey(name);
    return [
      ...(isAdmin ? [{ object, message: `has the administrators of the workspace, and would lose ${names}` }] : []),
      ...(snippets ? [{ object, message: `owns ${snippetWords(snippets)}, and would lose ${names}` }] : []),
    ];
  });
}

const mostNamed = 10;

/** `the snippet Top`, `3 snippets (Top, Mine, Yours)`. */
export const snippetWords = (names: readonly string[]): string =>
  names.length === 1 ? `the snippet ${names.join('')}` : `${names.length} snippets (${listUpTo(mostNamed, names)})`;
