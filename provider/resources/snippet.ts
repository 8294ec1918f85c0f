import { accessLevels, type ListedSnippet } from '@rolecall/api';
import { failure } from '../framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../framework/resource.ts';
import { isSame, isUnknown, type ObjectValue, unknown, type Value } from '../values/value.ts';
import { isGone } from '../workspace/failures.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopt, adopts, ambiguous, changeOf, isManaged, isTakenOver, leave, lockChange } from './adoption.ts';
import { hold, keep } from './holding.ts';
import { checkReferences, type Reference, referring } from './references.ts';
import { findSnippet } from './snippet-import.ts';
import { snippetSchema } from './snippet-schema.ts';
import { isTrue, needText, textOf } from './values.ts';

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
const access = ['public_access_level', 'owner_person_id', 'owner_role_id'] as const;

/** A saved query. New text is a new version; text that an older version has is only activated. */
export const snippet: Resource<Workspace> = {
  type: 'rolecall_snippet',
  schema: snippetSchema,
  identity: ['id'],
  listing: {
    filters: ['owner_person_id', 'owner_role_id', 'public_access_level'],
    list: async ({ workspace }) =>
      (await workspace.view().snippets()).all.map((found) => ({
        name: found.activeVersion.name,
        attributes: stateOf(found, {}),
      })),
  },

  validate: (config, report) => {
    const { owner_person_id: person = null, owner_role_id: role = null } = config;
    if (person === null || role === null || isUnknown(person) || isUnknown(role)) return;
    report(failure('Two owners', 'Give owner_person_id or owner_role_id, not both.', ['owner_role_id']));
  },

  plan: async (request, context) => {
    const { prior } = request;
    holdSnippet(request, context.workspace);
    await checkReferences(references, request, context.workspace);
    return prior === null ? planCreate(request, context) : planChange(request, prior, context.workspace);
  },

  planDestroy: async ({ state }, { workspace }) => {
    const name = needText(state, 'name');
    leave(needText(state, 'id'), `the snippet ${name}`, workspace);
    await workspace.removals.remove('snippets', name);
  },

  create: async ({ planned, private: { adopts: adopted } }, { workspace }) => {
    const existing = adopted === undefined ? undefined : (await workspace.before.snippets()).byId.get(adopted);
    if (existing === undefined || workspace.removed.has(existing.id)) {
      const [name, description, text] = content.map((field) => needText(planned, field));
      const body = {
        name: name ?? '',
        description: description ?? '',
        text: text ?? '',
        isLocked: isTrue(planned, 'locked'),
        ...accessOf(planned),
      };
      const made = await referring(() => workspace.call('createSnippet', { body }));
      return applied(made, planned);
    }
    workspace.adopted.add(existing.id);
    return change(stateOf(existing, {}), planned, workspace);
  },

  read: async ({ state }, { workspace }) => {
    const found = (await workspace.view().snippets()).byId.get(needText(state, 'id'));
    return found === undefined ? { state: null } : applied(found, state);
  },

  update: ({ prior, planned }, { workspace }) => change(prior, planned, workspace),

  remove: async ({ state }, { workspace, report }) => {
    const id = needText(state, 'id');
    if (isTakenOver(id, `the snippet ${needText(state, 'name')}`, workspace, report)) return;
    try {
      await workspace.call('deleteSnippet', { params: { snippet: id } });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    workspace.removed.add(id);
  },

  import: async ({ id }, { workspace }) => {
    const found = await findSnippet(id, workspace);
    return found === undefined ? { state: null } : applied(found, {});
  },
};

/** Two snippets of one name and owner would each be taken for the other. */
function holdSnippet(request: PlanRequest, workspace: Workspace): void {
  const name = textOf(request.planned, 'name');
  const owners = ['owner_person_id', 'owner_role_id'].map((field) => request.planned[field] ?? null);
  if (name === undefined || owners.some(isUnknown)) return;
  const key = JSON.stringify([...owners, name.normalize('NFC')]);
  hold(`snippet ${key}`, { what: `the snippet ${name}`, path: ['name'] }, request, workspace);
}

async function planCreate({ planned, private: before }: PlanRequest, context: Context): Promise<Planned> {
  const { workspace, report } = context;
  const name = textOf(planned, 'name');
  const owners = ['owner_person_id', 'owner_role_id'].map((field) => planned[field] ?? null);
  if (!workspace.isKnown || name === undefined || owners.some(isUnknown)) return { planned };
  const [person, role] = owners;
  const found = (await workspace.before.snippets()).all.filter(
    (each) =>
      each.activeVersion.name.normalize('NFC') === name.normalize('NFC') &&
      (each.ownerPerson?.id ?? null) === person &&
      (each.ownerRole?.id ?? null) === role &&
      each.id !== before['id'] &&
      !workspace.removed.has(each.id) &&
      !workspace.arriving.has(each.id),
  );
  const [existing, ...others] = found;
  if (existing === undefined) return { planned };
  const what = `the snippet ${name}`;
  if (others.length > 0)
    throw ambiguous(
      what,
      found.map(({ id }) => id),
      ['name'],
    );
  const only = { what, id: existing.id, path: ['name'] };
  if (isManaged('rolecall_snippet', only, context)) return { planned };
  adopt({ ...only, importId: existing.id, changes: changesOf(existing, planned) }, planned, workspace, report);
  const isSameContent = content.every((field) => existing.activeVersion[field] === planned[field]);
  return {
    planned: {
      ...planned,
      id: existing.id,
      created_at: existing.createdAt,
      active_version_id: isSameContent ? existing.activeVersion.id : unknown,
    },
    private: adopts(existing.id),
  };
}

/** What an adoption changes, in words. */
function changesOf(found: Found, planned: Readonly<Record<string, Value>>): readonly string[] {
  const { description, text } = found.activeVersion;
  return [
    ...changeOf('description', description, planned['description']),
    ...changeOf('text', text, planned['text']),
    ...changeOf('public_access_level', found.publicAccessLevel, planned['public_access_level']),
    ...lockChange(found.isLocked, planned),
  ];
}

function planChange({ planned, private: before }: PlanRequest, prior: ObjectValue, workspace: Workspace): Planned {
  const id = needText(prior, 'id');
  keep(id, { what: `the snippet ${needText(prior, 'name')}`, path: ['name'] }, workspace);
  return {
    planned: differs(prior, planned, content) ? { ...planned, active_version_id: unknown } : planned,
    private: { ...before, id },
  };
}

function differs(prior: ObjectValue, planned: Readonly<Record<string, Value>>, names: readonly string[]): boolean {
  return names.some((name) => !isSame('string', prior[name] ?? null, planned[name] ?? null));
}

/** Each difference by the calls that it takes. What fails leaves the rest to the next plan, which looks again. */
async function change(prior: ObjectValue, planned: ObjectValue, workspace: Workspace): Promise<Applied> {
  const params = { snippet: needText(prior, 'id') };
  const version = differs(prior, planned, content)
    ? await activate(params.snippet, planned, workspace)
    : needText(prior, 'active_version_id');
  if (differs(prior, planned, access)) await workspace.call('updateSnippet', { params, body: accessOf(planned) });
  const locked = isTrue(planned, 'locked');
  if (isTrue(prior, 'locked') !== locked) {
    await workspace.call(locked ? 'lockSnippet' : 'unlockSnippet', { params });
  }
  return {
    state: {
      ...planned,
      id: params.snippet,
      created_at: prior['created_at'] ?? null,
      active_version_id: version,
    },
    private: { id: params.snippet },
  };
}

/** Makes the declared content the one in use: an older version that has it, or else a new one. */
async function activate(id: string, planned: ObjectValue, workspace: Workspace): Promise<string> {
  const versions = await workspace.view().snippetVersions(id);
  const older = versions.find((version) => content.every((field) => version[field] === planned[field]));
  const [name = '', description = '', text = ''] = content.map((field) => needText(planned, field));
  const made =
    older ??
    (await workspace.call('createSnippetVersion', { params: { snippet: id }, body: { name, description, text } }));
  await workspace.call('activateSnippetVersion', { params: { snippet: id, snippetVersion: made.id } });
  return made.id;
}

function accessOf(planned: ObjectValue) {
  const person = textOf(planned, 'owner_person_id') ?? null;
  const role = textOf(planned, 'owner_role_id') ?? null;
  const level = accessLevels.find((known) => known === planned['public_access_level']);
  if (level === undefined) throw new TypeError('public_access_level has been checked before');
  const owner = person !== null ? ('person' as const) : role !== null ? ('role' as const) : ('none' as const);
  return { publicAccessLevel: level, owner, ownerPersonId: person, ownerRoleId: role };
}

function stateOf(found: Found, written: Readonly<Record<string, Value>>): ObjectValue {
  const { activeVersion } = found;
  return {
    id: found.id,
    name: activeVersion.name,
    description: activeVersion.description,
    text: activeVersion.text,
    owner_person_id: found.ownerPerson?.id ?? null,
    owner_role_id: found.ownerRole?.id ?? null,
    public_access_level: found.publicAccessLevel,
    locked: found.isLocked,
    active_version_id: activeVersion.id,
    adopt: written['adopt'] ?? null,
    created_at: found.createdAt,
  };
}

function applied(found: Found, written: Readonly<Record<string, Value>>): Applied {
  return { state: stateOf(found, written), private: { id: found.id } };
}
