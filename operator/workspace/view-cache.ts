import type { Client } from '@rolecall/api';
import { createView, type View } from '@rolecall/reconcile';
import type { Memory } from './context.ts';

export interface CurrentView {
  readonly view: View;
  /** Whether it is time to compare everything, and the workspace is other than when that was last done. */
  readonly isOther: boolean;
}

/**
 * The view of a workspace that is kept from one look to the next, read anew where it is time to.
 *
 * @param needsSnippets whether definitions declare snippets, or snippets are exact
 * @throws what reading throws; it is read again then
 */
export async function currentView(client: Client, memory: Memory, needsSnippets: boolean): Promise<CurrentView> {
  if (memory.client !== client) {
    memory.view = undefined;
    // What one key may not, another one may.
    memory.refused.clear();
  }
  memory.client = client;
  const before = memory.view;
  const why = memory.isStale;
  // Whoever asks again while it is read may mean what this reading does not see.
  memory.isStale = undefined;
  if (before === undefined || why === undefined) {
    memory.view ??= createView(client);
    return { view: memory.view, isOther: false };
  }
  // Where no definition needs them, they were read for one plan, such as a person's deletion; the next such plan reads them anew.
  if (!needsSnippets) before.drop('snippets');
  try {
    memory.view = await before.renew();
  } catch (error) {
    memory.isStale = 'doubt';
    throw error;
  }
  if (memory.view !== before) memory.isUncompared = true;
  if (memory.isPassDue !== true) return { view: memory.view, isOther: false };
  const isOther = memory.isUncompared === true;
  memory.isPassDue = false;
  memory.isUncompared = false;
  return { view: memory.view, isOther };
}
