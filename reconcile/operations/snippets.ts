import type { ListedSnippet, Snippet } from '@rolecall/api';
import type { StepOf } from '../model/step.ts';
import type { KeptReadings } from './kept-readings.ts';
import { changes, creates, type Done, deletes, noAccess, noOutcome, type Rows } from './operation.ts';
import { exists } from './proof.ts';

type Edit = 'updateSnippet' | 'lockSnippet' | 'unlockSnippet' | 'activateSnippetVersion' | 'createSnippetVersion';

/** Parts of a row without effect on access: no one reaches more or less by a snippet. */
const noReach = { access: noAccess, outcome: noOutcome };

export const snippets: Rows<Edit | 'createSnippet' | 'deleteSnippet'> = {
  createSnippet: {
    ...creates('snippet'),
    ...noReach,
    proof: (made, client) =>
      exists(client.call('getSnippet', { params: { snippet: made.id } }), (now) => nameOf(now) === nameOf(made)),
    take: (kept, { answer: snippet }) =>
      kept.get('snippets')?.put({ ...snippet, activeVersion: { ...snippet.activeVersion, dataSource: null } }),
  },
  updateSnippet: {
    ...changes('snippet'),
    ...noReach,
    take: (kept, done) => {
      const { publicAccessLevel, owner, ownerPersonId, ownerRoleId } = done.step.body;
      const person = kept.peek('people')?.byId.get(done.resolve(ownerPersonId));
      const role = kept.peek('roles')?.byId.get(done.resolve(ownerRoleId));
      const isKnown = owner === 'none' || (owner === 'person' ? person !== undefined : role !== undefined);
      change(kept, done, (snippet) => {
        if (!isKnown || publicAccessLevel === undefined) return undefined;
        return {
          ...snippet,
          publicAccessLevel,
          ownerPerson:
            person === undefined
              ? null
              : { id: person.id, name: person.name, username: person.username, email: person.email },
          ownerRole: role === undefined ? null : { id: role.id, name: role.name },
        };
      });
    },
  },
  lockSnippet: { ...changes('snippet', 'lock'), ...noReach, take: setsLock(true) },
  unlockSnippet: { ...changes('snippet', 'unlock'), ...noReach, take: setsLock(false) },
  deleteSnippet: {
    ...deletes('snippet'),
    ...noReach,
    take: (kept, { step, resolve }) => {
      kept.get('snippets')?.remove(resolve(step.params.snippet));
      kept.drop(`snippetVersions ${resolve(step.params.snippet)}`);
    },
  },
  createSnippetVersion: {
    ...changes('snippet'),
    ...noReach,
    proof: ({ id }, client, { snippet }) =>
      exists(client.call('getSnippetVersion', { params: { snippet: String(snippet), snippetVersion: id } })),
    take: (kept, { step, resolve }) => {
      kept.drop(`snippetVersions ${resolve(step.params.snippet)}`);
    },
  },
  activateSnippetVersion: {
    ...changes('snippet'),
    ...noReach,
    take: (kept, done) => {
      const { changes: fields = [], params } = done.step;
      // What becomes active is what the plan wanted to be; where it does not say all of it, the list does.
      const to = Object.fromEntries(fields.map(({ field, to: value }) => [field, value]));
      change(kept, done, (snippet) => {
        const { name = snippet.activeVersion.name, text = snippet.activeVersion.text } = to;
        const { description = snippet.activeVersion.description } = to;
        if (fields.length === 0 || name === null || text === null || description === null) return undefined;
        const id = done.resolve(params.snippetVersion);
        return { ...snippet, activeVersion: { id, name, text, description, dataSource: null } };
      });
    },
  },
};

function setsLock(isLocked: boolean) {
  return (kept: KeptReadings, done: Done<'lockSnippet' | 'unlockSnippet'>): void => {
    change(kept, done, (snippet) => ({ ...snippet, isLocked }));
  };
}

function nameOf({ activeVersion, ownerPerson, ownerRole }: Snippet): string {
  return JSON.stringify([activeVersion.name, ownerPerson?.id, ownerRole?.id]);
}

/** @param edit undefined where what was changed is not known: then the list tells */
function change(
  kept: KeptReadings,
  { step, resolve }: { step: StepOf<Edit>; resolve: Done<Edit>['resolve'] },
  edit: (snippet: ListedSnippet) => ListedSnippet | undefined,
): void {
  const all = kept.get('snippets');
  const snippet = all?.byId.get(resolve(step.params.snippet));
  if (snippet === undefined) return;
  const changed = edit(snippet);
  if (changed === undefined) kept.drop('snippets');
  else all?.put(changed);
}
