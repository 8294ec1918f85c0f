/** How resources speak with the engine: what they declare, and what its steps would change, in words. */

import type { Step } from '@rolecall/reconcile';

/** What Terraform itself decides of every object. */
export const declared = { observeOnly: false, paused: false, protected: false } as const;

/** The reason of steps that delete what a resource had. */
export const toDelete = 'its resource is destroyed';

/** What steps change, in words such as `its name changes from "a" to "b"`. */
export function describeChanges(steps: readonly Step[]): string[] {
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
