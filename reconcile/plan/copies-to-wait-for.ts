import { snippetNameKey } from '../model/keys.ts';
import { idOf, type Step, type StepValue } from '../model/step.ts';
import type { View } from '../view/view.ts';

/**
 * Finds, for each snippet that is deleted, the new ones of its name, which must stand before it goes. Else a run that is
 * interrupted in between leaves fewer of the name, and the next one takes the last of them over instead of making a new one.
 *
 * @returns ids of the steps that create, by the id of the step that waits
 */
export function copiesToWaitFor(steps: readonly Step[], view: View): Map<string, string[]> {
  const creating = steps.filter(({ operation }) => operation === 'createSnippet');
  if (creating.length === 0) return new Map();
  const created = Map.groupBy(creating, ({ body }) => nameIn(body?.['name']));
  const waits = new Map<string, string[]>();
  for (const { id, operation, params } of steps) {
    if (operation !== 'deleteSnippet') continue;
    const snippet = view.peek('snippets')?.byId.get(idOf(params['snippet']));
    const copies = snippet && created.get(snippetNameKey(snippet.activeVersion.name));
    if (copies !== undefined)
      waits.set(
        id,
        copies.map((copy) => copy.id),
      );
  }
  return waits;
}

/** The key of a name in a body. Names are texts there; whatever else came would be the name of no snippet. */
const nameIn = (name: StepValue | undefined): string => (typeof name === 'string' ? snippetNameKey(name) : '');
