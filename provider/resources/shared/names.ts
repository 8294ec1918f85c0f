/** Names that the service has once each, such as a username: which one a plan may take, and how an apply takes it from another resource. */

import { randomUUID } from 'node:crypto';
import type { VerbContext } from '../../plugin/framework/resource.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import { problemOf } from '../../workspace/failures.ts';
import type { NameChange } from '../../workspace/name-queue.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isOthers, isTaken } from './adoption.ts';
import { findByName, type Named, type NamedKind } from './lifecycle.ts';
import { needText } from './values.ts';

/** A name that an object is to have. */
interface Name {
  readonly field: string;
  /** The service's refusal where another object has it. */
  readonly problem: string;
  /** Such as `The username ada`. */
  readonly what: string;
  readonly holder: () => Promise<{ readonly id: string; readonly called: string } | undefined>;
}

/** The name by which objects of a kind are found. */
export function nameOf<T extends Named>(kind: NamedKind<T>, planned: ObjectValue, workspace: Workspace): Name {
  const { attribute, noun, problem, key, list } = kind;
  const name = needText(planned, attribute);
  return {
    field: attribute,
    problem,
    what: `The ${attribute} ${name}`,
    holder: async () => {
      const holder = (await list(workspace, 'now')).byKey.get(key(name))?.[0];
      return holder && { id: holder.id, called: `${noun} ${holder.name}` };
    },
  };
}

/** @throws DiagnosticError where an object which this configuration does not manage has the name that another one is to get */
export async function refuseTaken<T extends Named>(
  kind: NamedKind<T>,
  planned: ObjectValue,
  ownId: string,
  context: VerbContext<Workspace>,
): Promise<void> {
  const holder = await findByName(kind, planned, ownId, context.workspace);
  if (holder === undefined || !(await isOthers({ type: kind.type, id: holder.id }, context))) return;
  const { what, field } = nameOf(kind, planned, context.workspace);
  throw isTaken(what, `${kind.noun} ${holder.name}`, field);
}

/**
 * Makes a change that takes names, once those that have them have given them up.
 *
 * @param change without an id: what is yet to be made
 * @throws DiagnosticError where one keeps its name
 */
export async function takingNames<T>(
  { id = randomUUID(), make, free }: Pick<NameChange<T>, 'make'> & Partial<Pick<NameChange<T>, 'id' | 'free'>>,
  names: readonly Name[],
  workspace: Workspace,
): Promise<T> {
  const refused = (error: unknown) => names.find(({ problem }) => problem === problemOf(error)?.problem);
  const holder = async (error: unknown) => {
    const name = refused(error);
    return name && { field: name.field, id: (await name.holder())?.id ?? '' };
  };
  try {
    return await workspace.names.take({ id, make, holder, free: free ?? (() => Promise.resolve(false)) });
  } catch (error) {
    const name = refused(error);
    const called = (await name?.holder())?.called;
    throw name === undefined || called === undefined ? error : isTaken(name.what, called, name.field, error);
  }
}

/** The turn of the call that gives an object all its names. @param freed a name that the object gives up for a moment before */
export const inTurn = <F extends string>(fields: readonly F[], freed: F | undefined) => ({
  turns: [{ fields, id: 'edit', after: [], ...(freed === undefined ? {} : { frees: { field: freed, id: 'free' } }) }],
  refusals: [],
});
