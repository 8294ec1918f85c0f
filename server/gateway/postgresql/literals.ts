/** Beginning of a comment, a quoted text or name, or a word, as PostgreSQL reads it. A word can have a $ that begins nothing. */
const beginning = /--|\/\*|["']|\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$|[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*/g;

/**
 * True if a place in a statement is within a quoted text, which may be code of another language.
 *
 * @param text without backslashes: whether these escape anything depends on settings of the session
 * @param index in UTF-16 code units, from 0
 */
export function isInLiteral(text: string, index: number): boolean {
  let at = 0;
  while (at <= index) {
    beginning.lastIndex = at;
    const [token = ''] = beginning.exec(text) ?? [];
    const start = beginning.lastIndex;
    if (token === '' || start > index) return false;
    at = endOf(text, token, start);
    if (at > index) return token === "'" || token.startsWith('$');
  }
  return false;
}

/** Returns the end of what a token begins; behind the text if it does not end. */
function endOf(text: string, token: string, start: number): number {
  if (token === '/*') return commentEnd(text, start);
  if (token === '--') return start + text.slice(start).search(/[\n\r]|$/);
  const isQuoted = token === "'" || token === '"' || token.startsWith('$');
  // A doubled quote ends one text and begins another, which comes to the same.
  return isQuoted ? behind(text, token, start) : start;
}

/** Comments may contain others. */
function commentEnd(text: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  for (let depth = 1; depth > 0; ) {
    const [token] = mark.exec(text) ?? [];
    if (token === undefined) return text.length + 1;
    depth += token === '/*' ? 1 : -1;
  }
  return mark.lastIndex;
}

function behind(text: string, mark: string, start: number): number {
  const end = text.indexOf(mark, start);
  return end === -1 ? text.length + 1 : end + mark.length;
}
