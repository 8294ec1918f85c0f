/**
 * Where in its statement a database says that the error is: PostgreSQL counts characters, MySQL and MariaDB quote what follows
 * and number the line, and SQLite names the word.
 *
 * @returns an index into the text; undefined where the message does not say, or could mean several places
 */
export function findErrorPosition(message: string, sql: string): number | undefined {
  const counted = /\(at character (\d+)\)/.exec(message)?.[1];
  if (counted !== undefined) return indexOfCharacter(sql, Number(counted) - 1);
  const [, following, line] = /near '([\s\S]*)' at line (\d+)$/.exec(message) ?? [];
  if (following !== undefined && line !== undefined) {
    return found(sql, following === '' ? sql.length : sql.indexOf(following, startOfLine(sql, Number(line))));
  }
  const word = /^(?:near|unrecognized token:) "([\s\S]+)"/.exec(message)?.[1];
  if (word === undefined || sql.indexOf(word) !== sql.lastIndexOf(word)) return undefined;
  return found(sql, sql.indexOf(word));
}

/** Characters outside of the Basic Multilingual Plane take two places in a JavaScript text. */
function indexOfCharacter(sql: string, count: number): number | undefined {
  let index = 0;
  for (let left = count; left > 0 && index < sql.length; left -= 1)
    index += (sql.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return found(sql, index);
}

function startOfLine(sql: string, line: number): number {
  let start = 0;
  for (let left = line - 1; left > 0; left -= 1) start = sql.indexOf('\n', start) + 1;
  return start;
}

function found(sql: string, index: number): number | undefined {
  return index >= 0 && index <= sql.length ? index : undefined;
}

/** The line of a position in a text, and the column in it; both count from 1. */
export function placeOf(sql: string, index: number): { line: number; column: number; text: string } {
  const start = sql.lastIndexOf('\n', index - 1) + 1;
  const end = sql.indexOf('\n', start);
  const line = sql.slice(0, start).split('\n').length;
  return { line, column: index - start + 1, text: sql.slice(start, end === -1 ? undefined : end).replace(/\r$/, '') };
}
