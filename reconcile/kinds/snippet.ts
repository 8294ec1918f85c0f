import type { ListedSnippet, ListedSnippetVersion } from '@rolecall/api';
import { type DesiredSnippet, named } from '../model/desired.ts';
import { type OwnerKey, ownerOf, snippetKey, snippetTextKey } from '../model/keys.ts';
import {
  differs,
  emptyDiff,
  type FieldChange,
  makeStep,
  missing,
  type Reference,
  type Refusal,
  type Step,
  type StepOf,
} from '../model/step.ts';
import type { Reader } from '../view/view.ts';
import type { Kind, Observation } from './kind.ts';
import type { Located } from './scope.ts';
import { snippetCandidate } from './snippet-candidate.ts';

/** The fields of a snippet that `diff` compares, and those of its versions that `findOlderVersion` compares. */
export interface CurrentSnippet extends Pick<ListedSnippet, 'id' | 'isLocked' | 'publicAccessLevel'> {
  activeVersion: Content;
  ownerPerson: { id: string; username: string } | null;
  ownerRole: { id: string; name: string } | null;
}

type Content = Pick<ListedSnippet['activeVersion'], 'name' | 'description' | 'text'>;

export interface ObservedSnippet extends Observation {
  snippet: CurrentSnippet | undefined;
  ambiguous: Refusal | undefined;
  owner: Located | undefined;
  /** A version that has what is declared already, when the active one has not. */
  older: { id: string } | undefined;
}

/** A saved query text. New text is a new version, then its activation; text that an older version has is activated. */
export const snippetKind: Kind<DesiredSnippet, ObservedSnippet> = {
  key: (desired) => snippetKey(desired.owner, desired.snippet),
  references: ({ owner }) => {
    if (owner === undefined) return [];
    return [owner.kind === 'Person' ? { kind: 'Person', name: owner.username } : { kind: 'Role', name: owner.role }];
  },

  async observe(desired, scope) {
    const [{ object, ambiguous, claims }, owner] = await Promise.all([
      snippetCandidate(desired, scope),
      locateOwner(desired, scope.locate),
    ]);
    const older = object === undefined ? undefined : await findOlderVersion(desired, object, scope.view);
    return { snippet: object, ambiguous, owner, older, claims };
  },

  diff(desired, { snippet, ambiguous, owner, older }) {
    const diff = emptyDiff();
    if (ambiguous !== undefined) return { ...diff, refusals: [ambiguous] };
    if (owner !== undefined && 'missing' in owner) return { ...diff, refusals: [owner.missing] };
    if (snippet === undefined) return { ...diff, steps: [create(desired, owner?.id)] };
    if (snippet.publicAccessLevel !== desired.publicAccessLevel || !hasOwner(snippet, desired, owner?.id)) {
      diff.steps.push(setAccess(desired, snippet, owner?.id));
    }
    if (!hasContent(snippet.activeVersion, desired)) diff.steps.push(...setContent(desired, snippet, older));
    if (snippet.isLocked !== desired.locked) diff.steps.push(setLock(desired, snippet));
    return diff;
  },
};

/** The version that has what is declared already, where the one in use has not: it need only be activated. */
export async function findOlderVersion(
  desired: DesiredSnippet,
  { id, activeVersion }: Pick<CurrentSnippet, 'id' | 'activeVersion'>,
  view: Pick<Reader, 'snippetVersions'>,
): Promise<ListedSnippetVersion | undefined> {
  if (hasContent(activeVersion, desired)) return undefined;
  return (await view.snippetVersions(id)).find((version) => hasContent(version, desired));
}

function locateOwner(
  desired: DesiredSnippet,
  locate: (from: DesiredSnippet, kind: 'Person' | 'Role', name: string) => Promise<Located>,
) {
  const { owner } = desired;
  if (owner === undefined) return Promise.resolve(undefined);
  return owner.kind === 'Person' ? locate(desired, 'Person', owner.username) : locate(desired, 'Role', owner.role);
}

function hasContent(version: Content, desired: DesiredSnippet): boolean {
  return (
    version.name === desired.snippet &&
    version.description === desired.description &&
    isSameText(version.text, desired.text)
  );
}

const isSameText = (text: string, other: string): boolean =>
  text === other || snippetTextKey(text) === snippetTextKey(other);

/** Differs only where the snippet was found by its id: the natural key has the owner in it. */
function hasOwner(
  { ownerPerson, ownerRole }: CurrentSnippet,
  { owner }: DesiredSnippet,
  id: string | Reference | undefined,
): boolean {
  if (owner === undefined) return ownerPerson === null && ownerRole === null;
  return (owner.kind === 'Person' ? ownerPerson : ownerRole)?.id === id;
}

const ownerWords = (owner: OwnerKey): string => {
  if (owner === undefined) return 'no one';
  return owner.kind === 'Person' ? `person ${owner.username}` : `role ${owner.role}`;
};

/** The owner as the service's forms take it. */
export function ownerFields(
  owner: DesiredSnippet['owner'],
  id: string | Reference | undefined,
): Pick<StepOf<'createSnippet'>['body'], 'owner' | 'ownerPersonId' | 'ownerRoleId'> {
  if (owner === undefined || id === undefined) return { owner: 'none', ownerPersonId: null, ownerRoleId: null };
  return owner.kind === 'Person'
    ? { owner: 'person', ownerPersonId: id, ownerRoleId: null }
    : { owner: 'role', ownerPersonId: null, ownerRoleId: id };
}

function create(desired: DesiredSnippet, owner: string | Reference | undefined): Step {
  return makeStep('createSnippet', [snippetKey(desired.owner, desired.snippet)], named(desired), {
    params: {},
    body: {
      name: desired.snippet,
      description: desired.description,
      text: desired.text,
      isLocked: desired.locked,
      publicAccessLevel: desired.publicAccessLevel,
      ...ownerFields(desired.owner, owner),
    },
    summary: `create the snippet ${desired.snippet}`,
    reason: missing,
    effect: 'create',
  });
}

function setAccess(desired: DesiredSnippet, snippet: CurrentSnippet, owner: string | Reference | undefined): Step {
  const [from, to] = [snippet.publicAccessLevel, desired.publicAccessLevel];
  return makeStep('updateSnippet', [snippet.id], named(desired), {
    ...edit(snippet, `change who may use the snippet ${desired.snippet}`),
    body: { publicAccessLevel: desired.publicAccessLevel, ...ownerFields(desired.owner, owner) },
    changes: [
      ...(from === to ? [] : [{ field: 'publicAccessLevel', from, to }]),
      ...(hasOwner(snippet, desired, owner)
        ? []
        : [{ field: 'owner', from: ownerWords(ownerOf(snippet)), to: ownerWords(desired.owner) }]),
    ],
  });
}

function setContent(desired: DesiredSnippet, snippet: CurrentSnippet, older: ObservedSnippet['older']): Step[] {
  const changes = contentChanges(desired, snippet);
  const activate = (snippetVersion: string | Reference, changed: Partial<Pick<Step, 'changes'>>): Step =>
    makeStep('activateSnippetVersion', [snippet.id], named(desired), {
      ...edit(snippet, `activate the version of ${desired.snippet}`),
      params: { snippet: snippet.id, snippetVersion },
      ...changed,
    });
  if (older !== undefined) return [activate(older.id, { changes })];
  const makes = `SnippetVersion ${snippet.id}`;
  const version = makeStep('createSnippetVersion', [snippet.id], named(desired), {
    ...edit(snippet, `add a version to the snippet ${desired.snippet}`),
    body: { name: desired.snippet, description: desired.description, text: desired.text },
    changes,
    makes,
  });
  return [version, activate({ ref: makes }, {})];
}

function contentChanges(desired: DesiredSnippet, { activeVersion }: CurrentSnippet): FieldChange[] {
  const fields = [
    ['name', activeVersion.name, desired.snippet],
    ['description', activeVersion.description, desired.description],
    ['text', activeVersion.text, desired.text],
  ] as const;
  return fields
    .filter(([field, from, to]) => (field === 'text' ? !isSameText(from, to) : from !== to))
    .map(([field, from, to]) => ({ field, from, to }));
}

function setLock(desired: DesiredSnippet, snippet: CurrentSnippet): Step {
  const [operation, verb] = desired.locked
    ? (['lockSnippet', 'lock'] as const)
    : (['unlockSnippet', 'unlock'] as const);
  return makeStep(operation, [snippet.id], named(desired), {
    ...edit(snippet, `${verb} the snippet ${desired.snippet}`),
    changes: [{ field: 'locked', from: String(snippet.isLocked), to: String(desired.locked) }],
  });
}

/** Parts that all changes of a snippet have. */
const edit = ({ id }: CurrentSnippet, summary: string) =>
  ({ params: { snippet: id }, summary, reason: differs, effect: 'change' }) as const;
