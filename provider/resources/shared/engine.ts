/** The resources' side of the engine: declarations for it, and the changes of its steps in words. */

import type { Diff, Step } from '@rolecall/reconcile';
import { refusal } from '../../plugin/framework/diagnostics.ts';

/** Attributes of a declaration that Terraform itself decides. */
export const declared = { observeOnly: false, paused: false, protected: false } as const;

/** The reason of steps that delete what a resource had. */
export const toDelete = 'its resource is destroyed';

/** Describes the changes of steps in words such as `its name changes from "a" to "b"`. */
export function describeChanges(steps: readonly Pick<Step, 'changes'>[]): string[] {
  return steps
    .flatMap(({ changes = [] }) => changes)
    .map(({ field, from, to }) => {
      if (field === 'locked')
        return to === 'true' ? 'it is not locked, and will be locked' : 'it is locked, and will be unlocked';
      return `its ${attributeOf(field)} changes from ${quoted(from)} to ${quoted(to)}`;
    });
}

/** `publicAccessLevel` is called `public_access_level` in Terraform. */
const attributeOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The text of a snippet can be pages long. */
function quoted(value: string | null): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/**
 * Ends a plan that the engine refuses, in its words.
 *
 * @param what such as `the person ada`
 * @param path the attribute that it is about
 * @throws DiagnosticError where there is a refusal
 */
export function refuse({ refusals: [first] }: Pick<Diff, 'refusals'>, what: string, path: readonly string[]): void {
  if (first === undefined) return;
  const [named, { message, remedy, objects }] = [`T${what.slice(1)}`, first];
  const detail = message.replace(objects[0] ?? '', named);
  throw refusal(`${named} cannot be edited`, `${detail}. ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`, path);
}
