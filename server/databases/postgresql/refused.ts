import { type CommentRules, leadingWords } from '../leading-words.ts';

/** PostgreSQL's scanner (src/backend/parser/scan.l): block comments nest, line comments end at either line break. */
const comments: CommentRules = { nested: true, hash: false, blankAfterDashes: false, lineEnd: /[\n\r]/ };

const ending = new Set(['ABORT', 'BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'START']);

/**
 * Why a command must not run: it would end or nest the transaction, or undo the query's settings. The server itself accepts
 * only one statement at a time, and lets no procedure or DO block commit inside a transaction.
 *
 * Savepoints are allowed: a rollback to one does not end the transaction.
 */
export function refusal(sql: string): string | undefined {
  const { words } = leadingWords(sql, comments, 3);
  const [first = '', second, third] = words;
  if (first === 'ROLLBACK') {
    const target = second === 'WORK' || second === 'TRANSACTION' ? third : second;
    if (target === 'TO') return undefined;
  }
  if (ending.has(first) || (first === 'PREPARE' && second === 'TRANSACTION')) {
    return `${first} is refused: the commands of a query run in one transaction, which ends by itself after the last`;
  }
  if ((first === 'RESET' || first === 'DISCARD') && second === 'ALL') {
    return `${first} ALL is refused: it would undo the settings that the query runs under`;
  }
  return undefined;
}
