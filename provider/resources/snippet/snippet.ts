import { accessLevels, type ListedSnippet } from '@rolecall/api';
import {
  type CurrentSnippet,
  type DesiredSnippet,
  deleteStep,
  findOlderVersion,
  type Step,
  snippetKind,
  snippetNameKey,
  snippetTextKey,
} from '@rolecall/reconcile';
import { failure } from '../../plugin/framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { isUnknown, type ObjectValue, unknown, type Value } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, adopts, ambiguous, hold, isManaged, orRenamed } from '../shared/adoption.ts';
import { declared, describeChanges, toDelete } from '../shared/engine.ts';
import { deletion, type ObjectKind, subjectOf, takePlanned } from '../shared/lifecycle.ts';
import { checkReferences, type Reference, referring } from '../shared/references.ts';
import { isTrue, keepSpelling, needText, textOf } from '../shared/values.ts';
import { snippetSchema } from './schema.ts';

type Context = VerbContext<Workspace>;
type Found = Pick<
  ListedSnippet,
  'id' | 'isLocked' | 'publicAccessLevel' | 'ownerPerson' | 'ownerRole' | 'createdAt'
> & { activeVersion: { id: string; name: string; description: string; text: string } };

const references: readonly Reference[] = [
  { kind: 'person', attribute: 'owner_person_id' },
  { kind: 'role', attribute: 'owner_role_id' },
];
const content = ['name', 'description', 'text'] as const;

const kind: ObjectKind = { type: 'rolecall_snippet', noun: 'snippet', collection: 'snippets', attribute: 'name' };

/** A saved query. New text is a new version; text that an older version has is only activated. */
export const snippet: Resource<Workspace> = {
  type: kind.type,
  schema: snippetSchema,
  identity: ['id'],
  listing: {
    filters: ['owner_person_id', 'owner_role_id', 'public_access_level'],
    list: async ({ workspace }) =>
      (await workspace.view().snippets()).all.map((snippet) => ({
        name: snippet.activeVersion.name,
        attributes: stateOf(snippet, {}),
      })),
  },

  validate: (config, report) => {
    const { owner_person_id: person = null, owner_role_id: role = null } = config;
    if (person === null || role === null || isUnknown(person) || isUnknown(role)) return;
    report(failure('Two owners', 'Give owner_person_id or owner_role_id, not both.', ['owner_role_id']));
  },

  plan: async (request, context) => {
    const { prior } = request;
    await holdSnippet(request, context.workspace);
    await checkReferences(references, request, context.workspace);
    return prior === null ? planCreate(request, context) : planChange(request, prior, context.workspace);
  },

  create: async ({ planned, private: { adopts: adopted } }, { workspace }) => {
    const existing = await takePlanned(kind, adopted, workspace.before.snippets, workspace);
    if (existing === undefined) {
      const { createSnippet: made } = await referring(() => workspace.run(stepsTo(planned, undefined)));
      if (made === undefined) throw new TypeError('a snippet that is not there is created');
      return applied(made, planned);
    }
    return change(stateOf(existing, {}), planned, workspace);
  },

  read: async ({ state }, { workspace }) => {
    const snippet = (await workspace.view().snippets()).byId.get(needText(state, 'id'));
    return snippet === undefined ? { state: null } : applied(snippet, state);
  },

  update: ({ prior, planned }, { workspace }) => change(prior, planned, workspace),

  ...deletion(kind, (state, workspace) => {
    const [id, name] = [needText(state, 'id'), needText(state, 'name')];
    return workspace.run([deleteStep({ kind: 'Snippet', id, name }, { kind: 'Snippet', name }, toDelete)]);
  }),

  importedBy: 'its identifier, by person/USERNAME/NAME or role/ROLE/NAME, or by a name that only one snippet has',
  import: async ({ id: text }, { workspace }) => {
    const { all, byId } = await workspace.view().snippets();
    const snippetWithId = byId.get(text);
    const matching =
      snippetWithId === undefined
        ? all.filter((candidate) => importNames(candidate).includes(snippetNameKey(text)))
        : [snippetWithId];
    const [snippet, ...others] = matching;
    if (others.length > 0) throw ambiguous(`a snippet ${text}`, matching, []);
    return snippet === undefined ? { state: null } : applied(snippet, {});
  },
};

function importNames({ activeVersion: { name }, ownerPerson, ownerRole }: ListedSnippet): string[] {
  const names = [name];
  if (ownerPerson !== null) names.push(`person/${ownerPerson.username}/${name}`);
  if (ownerRole !== null) names.push(`role/${ownerRole.name}/${name}`);
  return names.map(snippetNameKey);
}

/** Two snippets with one name and owner would each be taken for the other. */
async function holdSnippet(request: PlanRequest, workspace: Workspace): Promise<void> {
  const name = textOf(request.planned, 'name');
  const owners = ownersOf(request.planned);
  if (name === undefined || owners.some(isUnknown)) return;
  const key = JSON.stringify([...owners, snippetNameKey(name)]);
  await hold(subjectOf(kind, name, key), request, workspace);
}

const ownersOf = (object: ObjectValue): Value[] =>
  ['owner_person_id', 'owner_role_id'].map((name) => object[name] ?? null);

async function planCreate({ planned, private: before }: PlanRequest, context: Context): Promise<Planned> {
  const { workspace } = context;
  const name = textOf(planned, 'name');
  const [person, role] = ownersOf(planned);
  if (!workspace.isKnown || name === undefined || isUnknown(person) || isUnknown(role)) return { planned };
  const candidates = ((await workspace.before.snippets()).byName.get(snippetNameKey(name)) ?? []).filter(
    ({ id, ownerPerson, ownerRole }) =>
      (ownerPerson?.id ?? null) === person &&
      (ownerRole?.id ?? null) === role &&
      id !== before['id'] &&
      !workspace.ledger.has({ type: kind.type, id }, 'removed', 'arriving'),
  );
  const [existing, ...others] = candidates;
  if (existing === undefined) return { planned };
  if (others.length > 0) throw ambiguous(`the snippet ${name}`, candidates, ['name']);
  const only = subjectOf(kind, name, existing.id);
  if (await isManaged(only, context)) return { planned };
  // An unknown value counts as unchanged.
  const knownValues = Object.fromEntries(Object.entries(planned).filter(([, value]) => !isUnknown(value)));
  const changes = describeChanges(stepsTo({ ...stateOf(existing, {}), ...knownValues }, existing));
  await orRenamed(only, () => adopt({ ...only, importId: existing.id, changes }, planned, context), workspace);
  // Its ids are left open: someone may delete it before a saved plan is applied, and no resource refers to a snippet.
  return { planned, private: adopts(existing.id) };
}

async function planChange(
  { planned, private: before }: PlanRequest,
  prior: ObjectValue,
  { ledger }: Workspace,
): Promise<Planned> {
  const id = needText(prior, 'id');
  await ledger.enter(subjectOf(kind, needText(prior, 'name'), id), 'kept');
  // A text with other line ends keeps those that it has, so that it is no change to Terraform either.
  const [was, is] = [textOf(prior, 'text'), textOf(planned, 'text')];
  const next =
    is === undefined || was === undefined ? planned : { ...planned, text: keepSpelling(was, is, snippetTextKey) };
  const isSameContent = content.every((field) => prior[field] === next[field]);
  return {
    planned: isSameContent ? next : { ...next, active_version_id: unknown },
    private: { ...before, id },
  };
}

/** Makes each difference by the calls that it takes. A failure leaves the rest to the next plan. */
async function change(prior: ObjectValue, planned: ObjectValue, workspace: Workspace): Promise<Applied> {
  const current = currentOf(prior);
  const older = await findOlderVersion(desiredOf(planned), current, workspace.view());
  const { createSnippetVersion: made } = await workspace.run(stepsTo(planned, current, older));
  const state = {
    ...planned,
    id: current.id,
    created_at: prior['created_at'] ?? null,
    active_version_id: (made ?? older)?.id ?? needText(prior, 'active_version_id'),
  };
  return { state, private: { id: current.id } };
}

/** The calls from the snippet that is there, if any, to the planned one. */
function stepsTo(planned: ObjectValue, current: CurrentSnippet | undefined, older?: { id: string }): Step[] {
  const desired = desiredOf(planned);
  const id = textOf(planned, 'owner_person_id') ?? textOf(planned, 'owner_role_id');
  const owner = id === undefined ? undefined : { id };
  return snippetKind.diff(desired, { snippet: current, ambiguous: undefined, owner, older, claims: [] }).steps;
}

function desiredOf(planned: ObjectValue): DesiredSnippet {
  const [name, description, text] = content.map((field) => needText(planned, field));
  const [person, role] = [textOf(planned, 'owner_person_id'), textOf(planned, 'owner_role_id')];
  return {
    ...declared,
    kind: 'Snippet',
    name: name ?? '',
    snippet: name ?? '',
    description: description ?? '',
    text: text ?? '',
    // Terraform refers to owners by their ids.
    ...(person === undefined ? {} : { owner: { kind: 'Person', username: person } }),
    ...(role === undefined ? {} : { owner: { kind: 'Role', role } }),
    publicAccessLevel: levelOf(planned),
    locked: isTrue(planned, 'locked'),
  };
}

/** The snippet in a state as the engine compares it. */
function currentOf(state: ObjectValue): CurrentSnippet {
  const [person, role] = [textOf(state, 'owner_person_id'), textOf(state, 'owner_role_id')];
  return {
    id: needText(state, 'id'),
    isLocked: isTrue(state, 'locked'),
    publicAccessLevel: levelOf(state),
    activeVersion: {
      name: needText(state, 'name'),
      description: needText(state, 'description'),
      text: needText(state, 'text'),
    },
    ownerPerson: person === undefined ? null : { id: person, username: person },
    ownerRole: role === undefined ? null : { id: role, name: role },
  };
}

function levelOf(object: ObjectValue): DesiredSnippet['publicAccessLevel'] {
  const level = accessLevels.find((candidate) => candidate === object['public_access_level']);
  if (level === undefined) throw new TypeError('public_access_level has been checked before');
  return level;
}

function stateOf(snippet: Found, written: ObjectValue): ObjectValue {
  const { activeVersion } = snippet;
  return {
    id: snippet.id,
    name: activeVersion.name,
    description: activeVersion.description,
    text: keepSpelling(written['text'], activeVersion.text, snippetTextKey),
    owner_person_id: snippet.ownerPerson?.id ?? null,
    owner_role_id: snippet.ownerRole?.id ?? null,
    public_access_level: snippet.publicAccessLevel,
    locked: snippet.isLocked,
    active_version_id: activeVersion.id,
    adopt: written['adopt'] ?? null,
    created_at: snippet.createdAt,
  };
}

function applied(snippet: Found, written: ObjectValue): Applied {
  return { state: stateOf(snippet, written), private: { id: snippet.id } };
}
