import type { Client } from '@rolecall/api';
import { createView, type View } from '@rolecall/reconcile';
import type { Memory } from './context.ts';
import type { Member, Members } from './object-index.ts';

export interface CurrentView {
  readonly view: View;
  /** Whether it is time to compare everything, and the workspace is other than when that was last done. */
  readonly isOther: boolean;
}

/**
 * The view of a workspace that is kept from one look to the next, read anew where it is time to.
 *
 * @param needsSnippets whether what snippets there are matters to every look
 * @throws what reading throws; it is read again then
 */
export async function currentView(
  client: Client,
  members: Members,
  memory: Memory,
  needsSnippets: boolean,
): Promise<CurrentView> {
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
    if (needsSnippets) forgetOldSnippets(memory.view, memory);
    return { view: memory.view, isOther: false };
  }
  // Where nobody declares snippets, they are read for the journals of replacements alone, which leave another person.
  const isKept = why === 'drift' && !needsSnippets;
  try {
    memory.view = await renewed(before, isKept, members);
  } catch (error) {
    memory.isStale = 'doubt';
    throw error;
  }
  memory.hasOldSnippets = isKept;
  if (memory.view !== before) memory.isUncompared = true;
  if (memory.isPassDue !== true) return { view: memory.view, isOther: false };
  const isOther = memory.isUncompared === true;
  memory.isPassDue = false;
  memory.isUncompared = false;
  return { view: memory.view, isOther };
}

/**
 * Has snippets read again that were taken over from one look for drift to the next, maybe for days.
 *
 * @returns whether they were
 */
export function forgetOldSnippets(view: View, memory: Memory): boolean {
  if (memory.hasOldSnippets !== true) return false;
  view.drop('snippets');
  memory.hasOldSnippets = false;
  return true;
}

async function renewed(before: View, isKept: boolean, members: Members): Promise<View> {
  const view = await before.renew(isKept ? ['snippets'] : []);
  if (isKept && members.has('Person')) {
    const { byId } = await view.people();
    const isMissing = ({ object: { kind, status } }: Member) =>
      kind === 'Person' && status.id !== undefined && !byId.has(status.id);
    if ([...members.all()].some(isMissing)) view.drop('snippets');
  }
  return view;
}
