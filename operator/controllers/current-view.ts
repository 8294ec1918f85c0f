import type { Client } from '@rolecall/api';
import { createView, type View } from '@rolecall/reconcile';
import type { Member, Members } from './members.ts';
import type { Memory } from './pass-context.ts';

/**
 * The view of a workspace that is kept from one look to the next, read anew where it is time to.
 *
 * @throws what reading throws; it is read again then
 */
export async function currentView(client: Client, members: Members, memory: Memory): Promise<View> {
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
  if (before !== undefined && why !== undefined) {
    try {
      memory.view = await renewed(before, why, members);
    } catch (error) {
      memory.isStale = 'doubt';
      throw error;
    }
  }
  return (memory.view ??= createView(client));
}

async function renewed(before: View, why: 'drift' | 'doubt', members: Members): Promise<View> {
  // Where nobody declares snippets, they are read for the journals of replacements alone, which leave another person.
  const isKept = why === 'drift' && !members.has('Snippet');
  const view = await before.renew(isKept ? ['snippets'] : []);
  if (isKept && members.has('Person')) {
    const { byId } = await view.people();
    const isMissing = ({ object: { kind, status } }: Member) =>
      kind === 'Person' && status.id !== undefined && !byId.has(status.id);
    if ([...members.all()].some(isMissing)) view.drop('snippets');
  }
  return view;
}
