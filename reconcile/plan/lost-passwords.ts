import { ConnectionUriError, ProblemError, readConnectionUri } from '@rolecall/api';
import { label } from '../model/desired.ts';
import { idOf, type Note, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';

/**
 * Says which data sources a plan removes together with a password. Nothing that is declared has it any more, so that a
 * revert makes the data source again without it, unless its definition names one.
 */
export async function lostPasswordNotes(steps: readonly Step[], view: View): Promise<Note[]> {
  const removals = steps.filter(({ effect, operation }) => effect === 'remove' && operation === 'deleteDataSource');
  const held = await Promise.all(removals.map(({ params }) => hasPassword(idOf(params['dataSource']), view)));
  return removals
    .filter((_step, index) => held[index])
    .map(({ object }) => ({
      object: label(object),
      message:
        'takes along the password that the workspace holds for it, which no definition declares: whoever makes it again has to declare passwordFrom',
    }));
}

async function hasPassword(id: string, view: View): Promise<boolean> {
  try {
    return readConnectionUri((await view.dataSourceDetail(id)).configUri).password !== undefined;
  } catch (error) {
    // A key that is enough to remove it need not be enough to read it, and then there is nothing to say.
    if (error instanceof ProblemError || error instanceof ConnectionUriError) return false;
    throw error;
  } finally {
    // Only the note was made from it: a plan must not fail, later and with another key, because it cannot be read again.
    view.drop(`dataSourceDetail ${id}`);
  }
}
