import { type CommentRules, leadingWords } from '../leading-words.ts';

/** MySQL's scanner (sql/sql_lex.cc): no nesting, # and -- with a blank begin a line comment, a line feed ends it. */
const comments: CommentRules = { nested: false, hash: true, blankAfterDashes: true, lineEnd: /\n/ };

/** Statements that neither commit implicitly nor run others from a text, and so cannot end the transaction. */
const allowed = new Set(
  `SELECT WITH VALUES TABLE INSERT REPLACE UPDATE DELETE SHOW DESCRIBE DESC EXPLAIN HELP DO USE CALL HANDLER
  SAVEPOINT RELEASE SIGNAL CHECKSUM GET`.split(/\s+/),
);

/**
 * Settings that a SET must not name: they commit, run another statement, change the meaning of values and texts, or outlive a
 * rollback for all sessions.
 */
const refusedSettings =
  /\b(global|persist|persist_only|autocommit|completion_type|password|role|statement|names|charset|character|time_zone|character_set_\w+)\b/i;

/**
 * Why a command must not run. MySQL commits implicitly before and after most statements that are not queries, and new versions
 * add more. So only statements that are known to be harmless are allowed.
 */
export function refusal(sql: string): string | undefined {
  const { words, next, conditional, empty } = leadingWords(sql, comments, 3);
  if (conditional) return 'a command that begins with a comment for some versions (/*! … */) is refused';
  const [first = '', second, third] = words;
  // The server's own message explains a command that is empty or does not begin with a word.
  if (empty || allowed.has(first) || (first === '' && next === '(')) return undefined;
  if (first === 'SET') {
    const name = refusedSettings.exec(sql)?.[1];
    return name === undefined
      ? undefined
      : `SET with ${name} is refused: it would reach beyond the query's transaction`;
  }
  if ((first === 'CREATE' || first === 'DROP') && second === 'TEMPORARY' && third === 'TABLE') return undefined;
  if (first === 'ROLLBACK' && (second === 'WORK' ? third : second) === 'TO') return undefined;
  return `${first === '' ? 'this' : first} is refused: it may end the transaction that the commands of a query run in, since MySQL commits many statements by itself`;
}

/** True if a command runs a procedure, which may commit unseen. */
export function isCall(sql: string): boolean {
  return leadingWords(sql, comments, 1).words[0] === 'CALL';
}

const changing = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'WITH', 'LOAD', 'CALL']);

/** Returns the number of rows that a command changed; null for a kind of command that changes none. */
export function countOf(sql: string, affectedRows: number): number | null {
  return changing.has(leadingWords(sql, comments, 1).words[0] ?? '') ? affectedRows : null;
}
