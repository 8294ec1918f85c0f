import { DiagnosticError, failure } from '../plugin/framework/diagnostics.ts';
import type { PlanRequest } from '../plugin/framework/resource.ts';
import type { Path } from '../plugin/values/path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { twoAddresses } from './adoption.ts';
import { textOf } from './values.ts';

/** What a resource has after its plan. */
export interface Held {
  /** Such as `the person ada`. */
  readonly what: string;
  /** The attribute that says which object it is. */
  readonly path: Path;
}

/**
 * Notes that a resource is to have the object of a natural key, found or made. Terraform plans each resource by itself, and
 * what one of them deletes, the other one loses.
 *
 * @param key of the object, with its kind before it
 * @param request of the resource's plan; one that is to be replaced is planned twice, the second time as a create that
 *   knows its own id
 * @throws DiagnosticError when another resource of the same plan is to have it too
 */
export function hold(
  key: string,
  held: Held,
  { prior, private: before }: Pick<PlanRequest, 'prior' | 'private'>,
  { holders }: Workspace,
): void {
  const replaced = prior === null ? before['id'] : undefined;
  const holder = holders.get(key);
  if (holder !== undefined && holder !== replaced) throw twoResources(held);
  holders.set(key, (prior === null ? replaced : textOf(prior, 'id')) ?? '');
}

/**
 * Notes that a resource goes on with the object that it has.
 *
 * @throws DiagnosticError when the same plan gives the object up at another address, or keeps it there too
 */
export function keep(id: string, held: Held, { kept, leaving }: Workspace): void {
  if (kept.has(id)) throw twoResources(held);
  kept.add(id);
  if (leaving.has(id)) throw twoAddresses(held.what, held.path);
}

function twoResources({ what, path }: Held): DiagnosticError {
  return new DiagnosticError(
    failure(
      `Two resources manage ${what}`,
      `Another resource of this configuration describes ${what} too. The workspace has one object for both, and removing one of them would delete it for the other: remove one of them, or correct it. If a resource was renamed, say so with a moved block; if both are in the state already, forget one by terraform state rm.`,
      path,
    ),
  );
}
