import { findErrorPosition } from '@rolecall/api/cells';
import type { Statement } from './statements.ts';

/**
 * The word of a command at which its error is.
 *
 * @param message the database's
 * @returns undefined where the database does not say it for sure
 */
export function faultPlace(command: string, message: string): Statement | undefined {
  const from = findErrorPosition(message, command);
  if (from === undefined) return undefined;
  const word = /^(?:[\w$\u0080-\uffff]+|"[^"]*"?|'[^']*'?|[^\s])/.exec(command.slice(from))?.[0] ?? '';
  if (word !== '') return { from, to: from + word.length };
  // At the end of the text, the missing part comes after the last word.
  const end = command.trimEnd().length;
  return { from: Math.max(0, end - 1), to: end };
}
