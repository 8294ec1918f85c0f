import type { ListedSnippet } from '@rolecall/api';
import type { Workspace } from '../workspace/workspace.ts';
import { ambiguous } from './adoption.ts';

/** Finds a snippet by its id, by `person/username/name`, `role/role name/name`, or by a name that only one has. */
export async function findSnippet(text: string, workspace: Workspace): Promise<ListedSnippet | undefined> {
  const { all, byId } = await workspace.view().snippets();
  const found = byId.get(text);
  if (found !== undefined) return found;
  const matching = all.filter((snippet) => namesOf(snippet).includes(text.normalize('NFC')));
  if (matching.length > 1) {
    throw ambiguous(
      `a snippet ${text}`,
      matching.map(({ id }) => id),
      [],
    );
  }
  return matching[0];
}

function namesOf({ activeVersion: { name }, ownerPerson, ownerRole }: ListedSnippet): string[] {
  const names = [name];
  if (ownerPerson !== null) names.push(`person/${ownerPerson.username}/${name}`);
  if (ownerRole !== null) names.push(`role/${ownerRole.name}/${name}`);
  return names.map((each) => each.normalize('NFC'));
}
