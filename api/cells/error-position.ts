/**
 * Finds the place in a statement at which a database reports the error: PostgreSQL counts characters, MySQL and MariaDB
 * quote the text that follows and number the line, and SQLite names the word.
 *
 * @returns an index into the text, at most its length; undefined where the message does not say, or could mean several places
 */
export function findErrorPosition(message: string, sql: string): number | undefined {
  const counted = /\(at character (\d{1,9})\)/.exec(message)?.[1];
  if (counted !== undefined) return indexOfCharacter(sql, Number(counted) - 1);
  const [, following, line] = /near '([^]*)' at line (\d+)/.exec(message) ?? [];
  if (following !== undefined && line !== undefined) {
    return following === '' ? sql.length : indexOfQuoted(sql, following, startOfLine(sql, Number(line)));
  }
  const [, token, name] =
    /^(?:near|unrecognized token:) "([^]+)"|^no such (?:table|column|function): (?:.*\.)?(.+)$/.exec(message) ?? [];
  const word = token ?? name ?? '';
  const index = sql.indexOf(word);
  return word === '' || index < 0 || sql.includes(word, index + 1) ? undefined : index;
}

/** Characters outside of the Basic Multilingual Plane take two places in a JavaScript text. */
function indexOfCharacter(sql: string, count: number): number | undefined {
  let index = 0;
  for (let left = count; left > 0 && index <= sql.length; left -= 1)
    index += (sql.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index <= sql.length ? index : undefined;
}

function startOfLine(sql: string, line: number): number {
  let start = 0;
  for (let left = line - 1; left > 0; left -= 1) start = sql.indexOf('\n', start) + 1;
  return start;
}

/** The service writes line breaks, which a message has no room for, as blanks. */
function indexOfQuoted(sql: string, quoted: string, from: number): number | undefined {
  const words = quoted.split(/ +/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const pattern = new RegExp(words.join(String.raw`[ \p{Cc}]+`), 'gu');
  pattern.lastIndex = from;
  return pattern.exec(sql)?.index;
}
