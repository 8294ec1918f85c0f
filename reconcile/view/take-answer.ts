import { isReference, type Step } from '../model/step.ts';
import type { KeptReadings } from '../operations/kept-readings.ts';
import type { Along } from '../operations/operation.ts';
import { operationOf, subjectId } from '../operations/table.ts';

/**
 * Takes into what was read what a step has changed.
 *
 * @param ids what the run has made, by the names that steps refer to
 */
export function takeAnswer(kept: KeptReadings, step: Step, answer: unknown, ids: ReadonlyMap<string, string>): void {
  const { take, along } = operationOf(step);
  const resolve: Parameters<typeof take>[1]['resolve'] = (value) => {
    if (value === undefined || value === null) return '';
    return isReference(value) ? (ids.get(value.ref) ?? '') : value;
  };
  // The client has checked the answer against the operation's schema.
  take(kept, { step, answer: answer as never, resolve });
  if (along !== undefined) takeAlong(kept, along, subjectId(step));
}

/** Takes what goes with what a step deletes. */
function takeAlong(kept: KeptReadings, { permissions: end, snippets: owner }: Along, id: string): void {
  if (end !== undefined) {
    const permissions = kept.get('permissions');
    for (const fallen of permissions?.all.filter((permission) => permission[end].id === id) ?? []) {
      permissions?.remove(fallen.id);
    }
  }
  if (owner === undefined) return;
  const snippets = kept.get('snippets');
  for (const orphan of snippets?.all.filter((snippet) => snippet[owner]?.id === id) ?? []) {
    snippets?.put({ ...orphan, ownerPerson: null, ownerRole: null });
  }
}
