/** Comment syntax of a SQL dialect. */
export interface CommentRules {
  /** True if a block comment may hold another one, as in PostgreSQL. */
  nested: boolean;
  /** True if # begins a comment, as in MySQL. */
  hash: boolean;
  /** True if a line comment needs a blank after its dashes, as in MySQL: 1--1 is a subtraction there. */
  blankAfterDashes: boolean;
  /** End of a line comment. */
  lineEnd: RegExp;
}

export interface LeadingWords {
  /** In capitals; fewer than requested if something other than a word follows. */
  words: string[];
  /** The character that follows, if no word does; empty at the end. */
  next: string;
  /** True if a comment among them is code for some versions of MySQL or MariaDB. */
  conditional: boolean;
  /** True if the text has only white space, comments and semicolons. */
  empty: boolean;
}

const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const spaceOrSemicolon = /[ \t\n\r\f\v;]+/y;

/**
 * The first words of a statement. Comments, blanks and semicolons before and between them are skipped exactly as the database
 * skips them: they must not hide a COMMIT.
 *
 * @param most how many words to read
 */
export function leadingWords(sql: string, rules: CommentRules, most: number): LeadingWords {
  const result: LeadingWords = { words: [], next: '', conditional: false, empty: false };
  let at = 0;
  while (result.words.length < most) {
    const skipped = skipSpace(sql, at, rules);
    at = skipped.at;
    result.conditional ||= skipped.conditional;
    word.lastIndex = at;
    const next = word.exec(sql)?.[0];
    if (next === undefined) break;
    result.words.push(next.toUpperCase());
    at += next.length;
  }
  result.next = sql[at] ?? '';
  result.empty = result.words.length === 0 && at >= sql.length;
  return result;
}

function skipSpace(sql: string, from: number, rules: CommentRules): { at: number; conditional: boolean } {
  let at = from;
  let conditional = false;
  for (let earlierAt = -1; earlierAt !== at; ) {
    earlierAt = at;
    spaceOrSemicolon.lastIndex = at;
    if (spaceOrSemicolon.test(sql)) at = spaceOrSemicolon.lastIndex;
    if (sql.startsWith('/*', at)) {
      conditional ||= /^\/\*M?!/.test(sql.slice(at, at + 4));
      at = blockEnd(sql, at, rules.nested);
    } else if (isLineComment(sql, at, rules)) {
      const end = sql.slice(at).search(rules.lineEnd);
      at = end === -1 ? sql.length : at + end;
    }
  }
  return { at, conditional };
}

function isLineComment(sql: string, at: number, { hash, blankAfterDashes }: CommentRules): boolean {
  if (hash && sql[at] === '#') return true;
  return sql.startsWith('--', at) && (!blankAfterDashes || at + 2 >= sql.length || sql.charCodeAt(at + 2) <= 0x20);
}

function blockEnd(sql: string, at: number, nested: boolean): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at + 2;
  for (let depth = 1; depth > 0; ) {
    const token = mark.exec(sql)?.[0];
    if (token === undefined) return sql.length;
    if (token === '*/') depth -= 1;
    else if (nested) depth += 1;
    // Without nesting an opening mark may share its star with the end: /* /*/ is a whole comment.
    else mark.lastIndex -= 1;
  }
  return mark.lastIndex;
}
