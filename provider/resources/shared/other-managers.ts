import { warning } from '../../plugin/framework/diagnostics.ts';
import type { Planned, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import type { Schema } from '../../plugin/framework/schema.ts';
import { isSame, isUnknown, type ObjectValue } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { textOf } from './values.ts';

/** Attributes that only Terraform reads: a change of them writes nothing to the workspace. */
const local: ReadonlySet<string> = new Set(['adopt', 'protected']);

/**
 * A resource whose plans warn before they take over, change or delete an object that another manager wrote last: the command
 * line, the operator or another configuration would undo it. The service is asked once a command, and only by such a plan.
 */
export function warnsOfOtherManagers(resource: Resource<Workspace>): Resource<Workspace> {
  const { type, schema, plan, planDestroy } = resource;
  return {
    ...resource,
    plan: async (request, context) => {
      const planned = await plan(request, context);
      const [id, what] = effectOf(schema, request.prior, planned);
      if (id !== undefined) await warn({ type, id, what, object: planned.planned }, context);
      return planned;
    },
    planDestroy: async (object, context) => {
      await planDestroy(object, context);
      const id = textOf(object.state, 'id');
      if (id !== undefined) await warn({ type, id, what: 'deletes it', object: object.state }, context);
    },
  };
}

/** The id of the object that a plan writes to, if it is there, and what the plan does. */
function effectOf(schema: Schema, prior: ObjectValue | null, { planned, private: kept }: Planned) {
  if (prior === null) return [kept?.['adopts'], 'takes it over'] as const;
  const isChanged = Object.entries(schema.attributes).some(([name, { type }]) => {
    const value = planned[name] ?? null;
    return !local.has(name) && (isUnknown(value) || !isSame(type, prior[name] ?? null, value));
  });
  return [isChanged ? textOf(prior, 'id') : undefined, 'changes it'] as const;
}

interface Written {
  readonly type: string;
  readonly id: string;
  readonly what: string;
  readonly object: ObjectValue;
}

async function warn({ type, id, what, object }: Written, { workspace, report }: VerbContext<Workspace>): Promise<void> {
  if (!workspace.isKnown) return;
  const write = await workspace.lastWrite(type.replace('rolecall_', ''), id);
  if (write === undefined || write.manager === workspace.manager) return;
  const name = ['username', 'alias', 'name']
    .map((attribute) => textOf(object, attribute))
    .find((text) => text !== undefined);
  report(
    warning(
      `Also managed by ${write.manager}`,
      `${write.manager} last wrote ${name ?? `the object with the id ${id}`}, at ${write.at}, and this plan ${what}. Two managers of one object undo each other's changes: declare it in one of them only.`,
    ),
  );
}
