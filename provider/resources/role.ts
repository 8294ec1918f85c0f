import type { Role } from '@rolecall/api';
import { type DesiredRole, deleteStep, observeRenamed, replaceRole, roleKey, roleKind } from '@rolecall/reconcile';
import { warning } from '../framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../framework/resource.ts';
import { type ObjectValue, unknown, type Value } from '../values/value.ts';
import { problemOf } from '../workspace/failures.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopt, adopts, isManaged, isTakenOver, leave } from './adoption.ts';
import { adopt as adoptAttribute, createdAt, idAttribute, protectedAttribute, rules } from './attributes.ts';
import { declared, toDelete } from './engine.ts';
import { force, isTainted, replacedBy } from './forced-replacement.ts';
import { hold, keep } from './holding.ts';
import { refuseProtected } from './protection.ts';
import { keepSpelling, needText, textOf } from './values.ts';

type Context = VerbContext<Workspace>;

/** A group of people that reaches a group of data sources. A new name is a new role, filled before the old one goes. */
export const role: Resource<Workspace> = {
  type: 'rolecall_role',
  schema: {
    version: 0,
    description:
      'A group of people that reaches a group of data sources. Roles cannot be renamed in the workspace: a changed `name` makes a new role, fills it with what the old one has, and only then deletes the old one, so that nobody loses access meanwhile. The `id` changes with it.',
    attributes: {
      id: idAttribute('role'),
      name: {
        type: 'string',
        presence: 'required',
        description: 'The name, unique in the workspace.',
        check: rules.roleName,
      },
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
    if (name !== undefined) hold(`role ${roleKey(name)}`, held(name), request, context.workspace);
    return prior === null ? planCreate(request, context) : planChange(request, prior, context);
  },

  planDestroy: async ({ state }, { workspace }) => {
    const name = needText(state, 'name');
    refuseProtected(state, { what: 'role', name, fate: 'be deleted' });
    leave(needText(state, 'id'), `the role ${name}`, workspace);
    await workspace.removals.remove('roles', name);
  },

  create: async ({ planned, private: { adopts: adopted } }, context) => {
    const { before, removed } = context.workspace;
    const existing = adopted === undefined ? undefined : (await before.roles()).byId.get(adopted);
    if (existing === undefined || removed.has(existing.id)) return applied(await createRole(planned, context), planned);
    context.workspace.adopted.add(existing.id);
    return applied(existing, planned);
  },

  read: async ({ state }, { workspace }) => {
    const found = (await workspace.view().roles()).byId.get(needText(state, 'id'));
    return found === undefined ? { state: null } : applied(found, state);
  },

  update: async ({ prior, planned }, context) => {
    if (!isRenamed(prior, planned)) return { state: planned };
    const { workspace } = context;
    const old = { id: needText(prior, 'id'), name: needText(prior, 'name') };
    // Made by a run that was killed, the new role is there already, and is filled now.
    const made = await createRole(planned, context);
    const renamed = await observeRenamed(old, made, workspace.view());
    await workspace.run(replaceRole(desiredOf(planned), renamed, undefined, undefined).steps);
    workspace.removed.add(old.id);
    return applied(made, planned);
  },

  remove: async ({ state }, { workspace, report }) => {
    const [id, name] = [needText(state, 'id'), needText(state, 'name')];
    // The plan refuses this too, but not for a tainted role whose name changed as well.
    refuseProtected(state, { what: 'role', name, fate: 'be deleted' });
    if (isTakenOver(id, `the role ${name}`, workspace, report)) return;
    await workspace.run([deleteStep({ kind: 'Role', id, name }, { kind: 'Role', name }, toDelete)]);
    workspace.removed.add(id);
  },

  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().roles();
    const found = byId.get(id) ?? byKey.get(roleKey(id))?.[0];
    return found === undefined ? { state: null } : applied(found, {});
  },
};

const held = (name: string) => ({ what: `the role ${name}`, path: ['name'] });

async function planCreate({ planned, private: before }: PlanRequest, context: Context): Promise<Planned> {
  const replaced = replacedBy(before, context.workspace);
  if (replaced !== undefined) await forceRole(replaced, planned, context);
  const existing = await findByName(planned, before['id'], context);
  if (existing === undefined) return { planned };
  const { id, name } = existing;
  if (isManaged('rolecall_role', { ...held(name), id }, context)) {
    if (isTainted('rolecall_role', id, before, context)) await forceRole(id, planned, context);
    return { planned };
  }
  takeOver(existing, planned, context);
  return {
    planned: { ...planned, id: existing.id, created_at: existing.createdAt },
    private: adopts(existing.id),
  };
}

/** Lets a role be replaced though nothing of it changed, unless a rail forbids it. */
async function forceRole(id: string, planned: Readonly<Record<string, Value>>, context: Context): Promise<void> {
  const { workspace } = context;
  if (!workspace.isKnown) return;
  const name = (await workspace.before.roles()).byId.get(id)?.name;
  if (name === undefined) return;
  const fallout = async () => {
    const { people, dataSources, snippets } = await observeRenamed({ id, name }, undefined, workspace.before);
    return `With that ${people.length} people and ${dataSources.length} data sources leave the role, and ${snippets.length} snippets lose their owner.`;
  };
  await force({ kind: 'role', id, name, path: ['name'], fallout }, planned, context);
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
    keep(id, held(name), context.workspace);
    return { planned: { ...planned, name }, ...known };
  }
  refuseProtected(prior, { what: 'role', name, fate: 'be replaced by a role with another name' });
  // Whoever takes the name over would get a role that is deleted, and its members.
  leave(id, `the role ${name}`, context.workspace);
  const existing = await findByName(planned, id, context);
  if (existing !== undefined)
    takeOver(existing, planned, context, [`it gets the members and snippets of the role ${name}`]);
  const [people, dataSources] = await Promise.all([
    context.workspace.before.rolePeople(id),
    context.workspace.before.roleDataSources(id),
  ]);
  context.report(
    warning(
      `Replaces the role ${name}`,
      `Roles cannot be renamed, so a new role takes over ${people.all.length} people, ${dataSources.all.length} data sources and the snippets of the role ${name}, which is deleted after that. The role's id changes.`,
      ['name'],
    ),
  );
  return { planned: { ...planned, id: unknown, created_at: unknown }, ...known };
}

function isRenamed(prior: ObjectValue, planned: Readonly<Record<string, Value>>): boolean {
  return roleKey(textOf(planned, 'name') ?? '') !== roleKey(needText(prior, 'name'));
}

/** The role of the declared name, unless it is the resource's own or has gone. */
async function findByName(
  planned: Readonly<Record<string, Value>>,
  own: string | undefined,
  { workspace }: Context,
): Promise<Role | undefined> {
  const name = textOf(planned, 'name');
  if (!workspace.isKnown || name === undefined) return undefined;
  const { byKey } = await workspace.before.roles();
  return byKey.get(roleKey(name))?.find(({ id }) => id !== own && !workspace.removed.has(id));
}

function takeOver(
  { id, name }: Role,
  planned: Readonly<Record<string, Value>>,
  { workspace, report }: Context,
  changes: readonly string[] = [],
): void {
  adopt({ ...held(name), id, importId: name, changes }, planned, workspace, report);
}

/** Makes the role; one that is there after all is taken over. */
async function createRole(planned: ObjectValue, context: Context): Promise<Role> {
  const { workspace } = context;
  const name = needText(planned, 'name');
  try {
    const create = { role: undefined, renamed: undefined, people: undefined, dataSources: undefined, claims: [] };
    const { createRole: made } = await workspace.run(roleKind.diff(desiredOf(planned), create).steps);
    if (made === undefined) throw new TypeError('a role that is not there is created');
    workspace.made.add(made.id);
    return made;
  } catch (error) {
    if (problemOf(error)?.kind !== 'conflict') throw error;
    const existing = (await workspace.view().roles()).byKey.get(roleKey(name))?.[0];
    if (existing === undefined) throw error;
    takeOver(existing, planned, context);
    workspace.adopted.add(existing.id);
    return existing;
  }
}

function desiredOf(planned: ObjectValue): DesiredRole {
  const name = needText(planned, 'name');
  return { ...declared, kind: 'Role', name, role: name };
}

function applied(found: Role, written: Readonly<Record<string, Value>>): Applied {
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
