import type { Role } from '@rolecall/api';
import { type DesiredRole, deleteStep, observeRenamed, replaceRole, roleKey, roleKind } from '@rolecall/reconcile';
import { warning } from '../../plugin/framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { required } from '../../plugin/framework/schema.ts';
import { type ObjectValue, unknown } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, hold, keep, leave } from '../shared/adoption.ts';
import { adopt as adoptAttribute, createdAt, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';
import { declared, toDelete } from '../shared/engine.ts';
import { force } from '../shared/forced-replacement.ts';
import {
  createOrAdopt,
  deletion,
  findAdopted,
  findByName,
  held,
  type NamedKind,
  planCreate,
  refuseProtected,
} from '../shared/lifecycle.ts';
import { keepSpelling, needText, textOf } from '../shared/values.ts';
import { refuseHandover } from './handover.ts';
import { counted, dataSourceMember, personMember } from './member-kind.ts';

type Context = VerbContext<Workspace>;

const kind: NamedKind<Role> = {
  type: 'rolecall_role',
  noun: 'role',
  collection: 'roles',
  attribute: 'name',
  key: roleKey,
  list: (workspace, when) => (when === 'now' ? workspace.view() : workspace.before).roles(),
  force: (id, { planned }, context) => forceRole(id, planned, context),
  adopt: (existing, { planned }, context) => takeOver(existing, planned, context),
};

/** A group of people that reaches a group of data sources. A new name is a new role, filled before the old one goes. */
export const role: Resource<Workspace> = {
  type: kind.type,
  schema: {
    version: 0,
    description:
      'A group of people that reaches a group of data sources. Roles cannot be renamed in the workspace: a changed `name` makes a new role, fills it with what the old one has, and only then deletes the old one, so that no access is interrupted. The `id` changes with it.',
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
    if (name !== undefined) hold(`role ${roleKey(name)}`, held(kind, name), request, context.workspace);
    return prior === null ? planCreate(kind, request, context) : planChange(request, prior, context);
  },

  create: async ({ planned, config, private: { adopts: adopted } }, context) => {
    const { workspace } = context;
    const existing = await findAdopted(adopted, workspace.before.roles, workspace);
    if (existing === undefined) return applied(await createRole(planned, config, context), planned);
    workspace.adopted.add(existing.id);
    return applied(existing, planned);
  },

  read: async ({ state }, { workspace }) => {
    const found = (await workspace.view().roles()).byId.get(needText(state, 'id'));
    return found === undefined ? { state: null } : applied(found, state);
  },

  update: async ({ prior, planned, config }, context) => {
    if (!isRenamed(prior, planned)) return { state: planned };
    const { workspace } = context;
    const old = { id: needText(prior, 'id'), name: needText(prior, 'name') };
    // Made by a run that was killed, the new role is there already, and is filled now.
    const made = await createRole(planned, config, context);
    const renamed = await observeRenamed(old, made, workspace.view());
    await workspace.run(replaceRole(desiredOf(planned), renamed, undefined, undefined).steps);
    workspace.removed.add(old.id);
    return applied(made, planned);
  },

  ...deletion(kind, (state, workspace) => {
    const [id, name] = [needText(state, 'id'), needText(state, 'name')];
    return workspace.run([deleteStep({ kind: 'Role', id, name }, { kind: 'Role', name }, toDelete)]);
  }),

  importedBy: 'its identifier or its name',
  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().roles();
    const found = byId.get(id) ?? byKey.get(roleKey(id))?.[0];
    return found === undefined ? { state: null } : applied(found, {});
  },
};

/** Lets a role be replaced though nothing of it changed, unless a rail forbids it. */
async function forceRole(id: string, planned: ObjectValue, context: Context): Promise<void> {
  const { workspace } = context;
  if (!workspace.isKnown) return;
  const name = (await workspace.before.roles()).byId.get(id)?.name;
  if (name === undefined) return;
  const fallout = async () => {
    const { people, dataSources, snippets } = await observeRenamed({ id, name }, undefined, workspace.before);
    return `The role loses ${counted(people.length, personMember)} and ${counted(dataSources.length, dataSourceMember)}, and ${snippets.length === 1 ? '1 snippet loses its' : `${snippets.length} snippets lose their`} owner.`;
  };
  await force(kind, { id, name, fallout }, planned, context);
}

async function planChange(
  { planned, private: before }: PlanRequest,
  prior: ObjectValue,
  context: Context,
): Promise<Planned> {
  const id = needText(prior, 'id');
  const known = { private: { ...before, id } };
  const name = needText(prior, 'name');
  if (!isRenamed(prior, planned)) {
    keep(id, held(kind, name), context.workspace);
    return { planned: { ...planned, name }, ...known };
  }
  refuseProtected(prior, kind, 'be replaced by a role with another name');
  // Another resource that took the name over would get a role that is deleted, and its members.
  leave(id, `the role ${name}`, context.workspace);
  for (const member of [personMember, dataSourceMember])
    await refuseHandover(member, context.workspace.members.rename(member.collection, id), context.workspace);
  const existing = await findByName(kind, planned, id, context.workspace);
  if (existing !== undefined)
    await takeOver(existing, planned, context, [`it gets the members and snippets of the role ${name}`]);
  const [people, dataSources] = await Promise.all([
    context.workspace.before.rolePeople(id),
    context.workspace.before.roleDataSources(id),
  ]);
  context.report(
    warning(
      `Replaces the role ${name}`,
      `Roles cannot be renamed, so a new role takes over ${counted(people.all.length, personMember)}, ${counted(dataSources.all.length, dataSourceMember)} and the snippets of the role ${name}, which is deleted after that. The role's id changes.`,
      ['name'],
    ),
  );
  return { planned: { ...planned, id: unknown, created_at: unknown }, ...known };
}

function isRenamed(prior: ObjectValue, planned: ObjectValue): boolean {
  return roleKey(textOf(planned, 'name') ?? '') !== roleKey(needText(prior, 'name'));
}

async function takeOver(
  { id, name }: Role,
  planned: ObjectValue,
  context: Context,
  changes: readonly string[] = [],
): Promise<void> {
  await adopt({ type: kind.type, ...held(kind, name), id, importId: name, changes }, planned, context);
}

/** Creates the role; one that is there after all is taken over. */
async function createRole(planned: ObjectValue, config: ObjectValue, context: Context): Promise<Role> {
  const { workspace } = context;
  const observed = { role: undefined, renamed: undefined, people: undefined, dataSources: undefined, claims: [] };
  const create = async () => (await workspace.run(roleKind.diff(desiredOf(planned), observed).steps)).createRole;
  const done = await createOrAdopt(kind, create, { planned, config }, context);
  return 'made' in done ? done.made : done.existing;
}

function desiredOf(planned: ObjectValue): DesiredRole {
  const name = needText(planned, 'name');
  return { ...declared, kind: 'Role', name, role: name };
}

function applied(found: Role, written: ObjectValue): Applied {
  return {
    state: {
      id: found.id,
      name: keepSpelling(written['name'], found.name, roleKey),
      protected: written['protected'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: found.createdAt,
    },
    private: { id: found.id },
  };
}
