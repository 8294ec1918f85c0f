/**
 * Replacements that no changed attribute asks for: `terraform taint`, a create that failed half way, `-replace` and
 * `replace_triggered_by`. Terraform does not ask whether such an object may go; it only plans a create. So the rails are
 * checked there.
 */

import type { ObjectCollection } from '@rolecall/crds';
import { type DiagnosticError, refusal, warning } from '../../plugin/framework/diagnostics.ts';
import { type Private, stateKey, type VerbContext } from '../../plugin/framework/resource.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isTrue } from './values.ts';

/** Remedy for those who want to keep an object that Terraform would replace. This also finishes a create that failed half way. */
export const toKeepIt =
  'To keep it, run terraform untaint with the address above (the next apply finishes what a failed create left), or leave -replace or replace_triggered_by out; if another resource gives the name up in this plan, apply that first.';

/** A kind whose objects may be replaced, as a resource describes it. */
export interface ReplacedKind {
  readonly type: string;
  readonly noun: string;
  readonly collection: ObjectCollection;
  readonly attribute: string;
}

/** The object that goes. */
interface Forced {
  readonly id: string;
  /** The name by which people know it. */
  readonly name: string;
  /** Describes the losses with it. */
  readonly fallout: () => Promise<string>;
  /** A check that only this kind has. */
  readonly refuse?: () => Promise<void>;
}

/** The object that a create is planned to replace, and that is still there: Terraform says which one only by what the plan of a change left. */
export function replacedBy(type: string, memory: Private, { ledger }: Workspace): string | undefined {
  const id = memory['id'];
  return id === undefined || ledger.has({ type, id }, 'removed') ? undefined : id;
}

/**
 * True if an object that a create finds in Terraform's state is the create's own, which is tainted. What is forgotten at another
 * address is not refreshed, and while applying nothing is: what the plan let through is not refused then.
 */
export function isTainted(type: string, id: string, memory: Private, { refreshed }: VerbContext<Workspace>): boolean {
  return memory['id'] === undefined && refreshed.has(stateKey(type, id));
}

/**
 * Holds a replacement to the rails, as a deletion is held.
 *
 * @throws DiagnosticError where the object is protected, may not be replaced, or too many go
 */
export async function force(
  { type, noun, collection, attribute }: ReplacedKind,
  { id, name, fallout, refuse }: Forced,
  planned: ObjectValue,
  { stored, workspace, report }: VerbContext<Workspace>,
): Promise<void> {
  const prior = stored.get(stateKey(type, id));
  if (prior?.['protected'] === true || isTrue(planned, 'protected')) throw protectedFrom(noun, name);
  await refuse?.();
  await workspace.removals.remove(collection, name);
  report(
    warning(
      `Replaces the ${noun} ${name}`,
      `The ${noun} ${name} is tainted or to be replaced, so it is deleted and made again with another id. ${await fallout()} What this configuration declares is made again; the rest is lost. ${toKeepIt}`,
      [attribute],
    ),
  );
}

function protectedFrom(noun: string, name: string): DiagnosticError {
  return refusal(
    `The ${noun} ${name} is protected`,
    `${name} is tainted or to be replaced, which would delete it, and protected = true forbids that. ${toKeepIt} If the replacement is meant, do that too, set protected = false, apply it, and only then have it replaced.`,
    ['protected'],
  );
}
