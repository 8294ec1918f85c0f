/** How resources speak with the engine: what they declare, and what its steps would change, in words. */

import type { Diff, RailName, Step } from '@rolecall/reconcile';
import { refusal } from '../../plugin/framework/diagnostics.ts';

/** What Terraform itself decides of every object. */
export const declared = { observeOnly: false, paused: false, protected: false } as const;

/** The reason of steps that delete what a resource had. */
export const toDelete = 'its resource is destroyed';

/** What steps change, in words such as `its name changes from "a" to "b"`. */
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

const rails: Readonly<Partial<Record<RailName, { summary: string; remedy: string; path?: readonly string[] }>>> = {
  protected: {
    summary: 'is protected',
    remedy: 'If it is meant, set protected = false and apply that first.',
    path: ['protected'],
  },
  'replace-person': {
    summary: 'would be replaced',
    remedy: 'Set replace_allowed = true if that is meant, or put the old value back.',
  },
};

/**
 * Ends a plan that the engine refuses, with the remedy that Terraform has for it.
 *
 * @param what such as `the person ada`
 * @param path the attribute that it is about, where no other one decides
 * @throws DiagnosticError for the gravest of the refusals
 */
export function refuse({ refusals }: Pick<Diff, 'refusals'>, what: string, path: readonly string[]): void {
  const [gravest] = refusals.toSorted((a, b) => order.indexOf(a.rail) - order.indexOf(b.rail));
  if (gravest === undefined) return;
  const { summary, remedy, path: decisive = path } = rails[gravest.rail] ?? { summary: 'is refused', remedy: '' };
  const [label = ''] = gravest.objects;
  throw refusal(`T${what.slice(1)} ${summary}`, `${gravest.message.replaceAll(label, what)}. ${remedy}`, decisive);
}

const order = Object.keys(rails);
