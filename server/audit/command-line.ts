import { hostname, userInfo } from 'node:os';
import type { Change, EntryDraft } from './entry.ts';

/** An entry of the command line, which works on the store itself. @param operation the command, such as `keys create` */
export function commandLineEntry(operation: string, changes: readonly Change[]): EntryDraft {
  const actor = { type: 'cli', id: `${userName()}@${hostname()}` } as const;
  return { at: new Date().toISOString(), actor, operation, requestId: null, changes };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user often has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
