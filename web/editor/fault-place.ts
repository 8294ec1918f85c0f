import type { Statement } from './statements.ts';

/**
 * Where in a command its error is, as far as the database says.
 *
 * @param command the text that was run
 * @param message the database's
 * @param position from 1 in code points, as PostgreSQL gives it; null for the others, whose messages name a line or a word
 * @returns undefined where nothing can be said for sure
 */
export function faultPlace(command: string, message: string, position: number | null): Statement | undefined {
  if (position !== null) return wordAt(command, offsetOf(command, position));
  const [, near, line] = /near '([^]*)' at line (\d+)/.exec(message) ?? [];
  if (near !== undefined) return atLine(command, Number(line), near.split('\n')[0] ?? '');
  const [, token] =
    /near "([^]+?)": syntax error|no such (?:table|column|function): (.+)$/.exec(message)?.filter(Boolean) ?? [];
  return token === undefined ? undefined : onlyPlace(command, token.slice(token.lastIndexOf('.') + 1));
}

/** The place in UTF-16 of a position in code points. */
function offsetOf(text: string, position: number): number {
  let offset = 0;
  for (const character of text) {
    position -= 1;
    if (position <= 0) break;
    offset += character.length;
  }
  return Math.min(offset, text.length);
}

function wordAt(text: string, from: number): Statement {
  const word = /^(?:[\w$\u0080-\uffff]+|"[^"]*"?|[^\s])/.exec(text.slice(from))?.[0] ?? '';
  if (word !== '') return { from, to: from + word.length };
  // At the end of the text, the missing part comes after the last word.
  const end = text.trimEnd().length;
  return { from: Math.max(0, end - 1), to: end };
}

/** The words that MySQL quotes begin at the error; it counts lines from 1. */
function atLine(text: string, line: number, near: string): Statement | undefined {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const at = near === '' ? -1 : text.indexOf(near, start);
  if (at >= 0) return wordAt(text, at);
  const whole = lines[line - 1];
  return whole === undefined ? undefined : { from: start, to: start + whole.length };
}

function onlyPlace(text: string, word: string): Statement | undefined {
  const from = text.indexOf(word);
  return from < 0 || text.includes(word, from + 1) ? undefined : { from, to: from + word.length };
}
