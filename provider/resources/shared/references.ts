import { dataSourceKey, personKey, roleKey } from '@rolecall/reconcile';
import { refusal } from '../../plugin/framework/diagnostics.ts';
import type { PlanRequest } from '../../plugin/framework/resource.ts';
import type { ObjectValue, Value } from '../../plugin/values/value.ts';
import { isGone } from '../../workspace/failures.ts';
import type { Workspace } from '../../workspace/workspace.ts';

const kinds = {
  person: { collection: 'people', key: personKey, word: 'username', type: 'rolecall_person' },
  role: { collection: 'roles', key: roleKey, word: 'name', type: 'rolecall_role' },
  'data source': { collection: 'dataSources', key: dataSourceKey, word: 'alias', type: 'rolecall_data_source' },
} as const;

/** An attribute that refers to an object by its id, or to several. */
export interface Reference {
  readonly kind: keyof typeof kinds;
  readonly attribute: string;
}

/**
 * Checks that what a resource is to refer to is there, so that a plan finds what an apply would. What it refers to already is
 * not looked up again.
 *
 * @throws DiagnosticError when nothing has the id; where it is a natural key instead, it says so
 */
export async function checkReferences(
  references: readonly Reference[],
  { prior, planned }: Pick<PlanRequest, 'prior' | 'planned'>,
  workspace: Workspace,
): Promise<void> {
  if (!workspace.isKnown) return;
  for (const reference of references) {
    const priorIds = idsIn(prior ?? {}, reference);
    for (const id of idsIn(planned, reference)) if (!priorIds.includes(id)) await check(reference, id, workspace);
  }
}

/** The ids that are known. */
function idsIn(object: ObjectValue, { attribute }: Reference): readonly string[] {
  const value = object[attribute];
  const values: readonly Value[] = Array.isArray(value) ? value : [value ?? null];
  return values.filter((id) => typeof id === 'string');
}

async function check({ kind, attribute }: Reference, id: string, workspace: Workspace): Promise<void> {
  const { collection, key, word, type } = kinds[kind];
  if (workspace.ledger.has({ type, id }, 'made', 'adopted')) return;
  const { byId, byKey } = await workspace.before[collection]();
  if (byId.has(id) || (await wasMadeMeanwhile(id, collection, workspace))) return;
  const detail = byKey.has(key(id))
    ? `${id} is the ${word} of a ${kind}, and no id: refer to ${type}.NAME.id, or to the data source of that type.`
    : `The workspace has no ${kind} with the id ${id}. If it was deleted in the meantime, plan again; else refer to a ${type} by its id, or correct it.`;
  throw refusal(`No such ${kind}`, detail, [attribute]);
}

/** True if a provider under another alias made an object since this one first read the workspace. */
async function wasMadeMeanwhile(
  id: string,
  collection: (typeof kinds)[Reference['kind']]['collection'],
  workspace: Workspace,
): Promise<boolean> {
  if ((await workspace.view()[collection]()).byId.has(id)) return true;
  return (await workspace.freshView()[collection]()).byId.has(id);
}

/** Makes a call that refers to other objects; each may have been deleted since the plan. */
export async function referring<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isGone(error)) throw error;
    throw refusal(
      'A referenced object is gone',
      'A person, role or data source that this refers to was deleted after the plan. Plan again: the plan names which one.',
      undefined,
      { cause: error },
    );
  }
}
