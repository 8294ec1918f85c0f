import type { Role } from '@rolecall/api';
import { type DesiredRole, type Diff, deleteStep, roleKey, roleKind } from '@rolecall/reconcile';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { required } from '../../plugin/framework/schema.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import { counted, dataSourceMember, personMember } from '../../workspace/members.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, hold } from '../shared/adoption.ts';
import { adopt as adoptAttribute, createdAt, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';
import { declared, refuse, toDelete } from '../shared/engine.ts';
import { force } from '../shared/forced-replacement.ts';
import { createOrAdopt, deletion, type NamedKind, planCreate, subjectOf, takePlanned } from '../shared/lifecycle.ts';
import { inTurn, nameOf, refuseTaken, takingNames } from '../shared/names.ts';
import { keepSpelling, needText, textOf } from '../shared/values.ts';

type Context = VerbContext<Workspace>;

const kind: NamedKind<Role> = {
  type: 'rolecall_role',
  noun: 'role',
  collection: 'roles',
  attribute: 'name',
  key: roleKey,
  problem: 'role_name_taken',
  list: (workspace, when) => (when === 'now' ? workspace.view() : workspace.before).roles(),
  force: (id, { planned }, context) => forceRole(id, planned, context),
  adopt: (existing, { planned }, context) => takeOver(existing, planned, context),
};

/** A group of people that reaches a group of data sources. */
export const role: Resource<Workspace> = {
  type: kind.type,
  schema: {
    version: 0,
    description:
      'A group of people that reaches a group of data sources. A changed `name` renames the role in place: it keeps its `id`, its members and its snippets. A service that cannot rename roles gets no such plan.',
    attributes: {
      id: idAttribute('role'),
      name: required('string', 'The name, unique in the workspace.', rules.roleName),
      protected: protectedAttribute('role'),
      adopt: adoptAttribute('role'),
      created_at: createdAt,
    },
  },
  identity: ['id'],
  listing: {
    filters: [],
    list: async ({ workspace }) =>
      (await workspace.view().roles()).all.map(({ id, name }) => ({ name, attributes: { id } })),
  },

  plan: async (request, context) => {
    const { prior, planned } = request;
    const name = textOf(planned, 'name');
    if (name !== undefined) await hold(subjectOf(kind, name, roleKey(name)), request, context.workspace);
    return prior === null ? planCreate(kind, request, context) : planChange(request, prior, context);
  },

  create: async ({ planned, config, private: { adopts: adopted } }, context) => {
    const { workspace } = context;
    const existing = await takePlanned(kind, adopted, workspace.before.roles, workspace);
    if (existing === undefined) return applied(await createRole(planned, config, context), planned);
    return applied(existing, planned);
  },

  read: async ({ state }, { workspace }) => {
    const role = (await workspace.view().roles()).byId.get(needText(state, 'id'));
    return role === undefined ? { state: null } : applied(role, state);
  },

  update: async ({ prior, planned }, { workspace }) => {
    const current = { id: needText(prior, 'id'), name: needText(prior, 'name') };
    const make = () => workspace.run(diff(planned, current).steps);
    const free = async () => {
      const [freeing, rename] = diff(planned, current, true, 'name').steps;
      if (freeing === undefined || rename === undefined) return false;
      await workspace.run([freeing]);
      return true;
    };
    await takingNames({ id: current.id, make, free }, [nameOf(kind, planned, workspace)], workspace);
    return { state: planned };
  },

  ...deletion(kind, (state, workspace) => {
    const [id, name] = [needText(state, 'id'), needText(state, 'name')];
    return workspace.run([deleteStep({ kind: 'Role', id, name }, { kind: 'Role', name }, toDelete)]);
  }),

  importedBy: 'its identifier or its name',
  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().roles();
    const role = byId.get(id) ?? byKey.get(roleKey(id))?.[0];
    return role === undefined ? { state: null } : applied(role, {});
  },
};

/** Lets a role be replaced though nothing of it changed, unless a rail forbids it. */
async function forceRole(id: string, planned: ObjectValue, context: Context): Promise<void> {
  const { workspace } = context;
  if (!workspace.isKnown) return;
  const name = (await workspace.before.roles()).byId.get(id)?.name;
  if (name === undefined) return;
  const fallout = async () => {
    const [people, dataSources, snippets] = await Promise.all([
      workspace.before.rolePeople(id),
      workspace.before.roleDataSources(id),
      workspace.before.snippets(),
    ]);
    const owned = snippets.all.filter(({ ownerRole }) => ownerRole?.id === id).length;
    return `The role loses ${counted(people.all.length, personMember)} and ${counted(dataSources.all.length, dataSourceMember)}, and ${owned === 1 ? '1 snippet loses its' : `${owned} snippets lose their`} owner.`;
  };
  await force(kind, { id, name, fallout }, planned, context);
}

async function planChange(
  { planned, private: before }: PlanRequest,
  prior: ObjectValue,
  context: Context,
): Promise<Planned> {
  const { workspace } = context;
  const [id, name] = [needText(prior, 'id'), needText(prior, 'name')];
  const comparison = diff(planned, { id, name }, await workspace.edits());
  const isRenamed = comparison.steps.length > 0;
  await workspace.ledger.enter(subjectOf(kind, name, id), 'kept');
  refuse(comparison, `the role ${name}`, ['name']);
  await refuseTaken(kind, planned, id, context);
  if (isRenamed && workspace.isKnown) await workspace.removals.renameRole(name);
  return { planned: isRenamed ? planned : { ...planned, name }, private: { ...before, id } };
}

async function takeOver({ id, name }: Role, planned: ObjectValue, context: Context): Promise<void> {
  await adopt({ ...subjectOf(kind, name, id), importId: name }, planned, context);
}

/** Creates the role; one that is there after all is taken over. */
async function createRole(planned: ObjectValue, config: ObjectValue, context: Context): Promise<Role> {
  const create = async () => (await context.workspace.run(diff(planned, undefined).steps)).createRole;
  const done = await createOrAdopt(kind, create, { planned, config }, context);
  return 'made' in done ? done.made : done.existing;
}

/** The engine's comparison of what is planned with the role that is there, if any. */
function diff(
  planned: ObjectValue,
  role: Pick<Role, 'id' | 'name'> | undefined,
  isEditable = true,
  freed?: 'name',
): Diff {
  const names = inTurn(['name'] as const, freed);
  const members = { people: undefined, dataSources: undefined };
  return roleKind.diff(desiredOf(planned), { role, names, isEditable, ...members, claims: [] });
}

function desiredOf(planned: ObjectValue): DesiredRole {
  const name = textOf(planned, 'name') ?? '(known after the apply)';
  return { ...declared, kind: 'Role', name, role: name };
}

function applied(role: Role, written: ObjectValue): Applied {
  return {
    state: {
      id: role.id,
      name: keepSpelling(written['name'], role.name, roleKey),
      protected: written['protected'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: role.createdAt,
    },
    private: { id: role.id },
  };
}
