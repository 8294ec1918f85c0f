import type { DataSourceType } from '@rolecall/api';

/** A statement of a text: where it begins and ends, without the blanks and the semicolon around it. */
export interface Statement {
  readonly from: number;
  readonly to: number;
}

/** Matches a text that is skipped whole: a comment, a quoted text or a name. The first match at a place counts. */
function opaque(type: DataSourceType): RegExp {
  const escaped = String.raw`(?:[^\\']|\\[^]|'')*(?:'|$)`;
  const plain = String.raw`(?:[^']|'')*(?:'|$)`;
  const common = [String.raw`"(?:[^"]|"")*(?:"|$)`];
  const pieces: Record<DataSourceType, string[]> = {
    postgresql: [
      String.raw`--[^\n]*`,
      String.raw`[eE]'${escaped}`,
      `'${plain}`,
      String.raw`\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[^]*?(?:\$\1\$|$)`,
    ],
    mysql: mysqlPieces(escaped),
    mariadb: mysqlPieces(escaped),
    sqlite: [
      String.raw`--[^\n]*`,
      String.raw`/\*[^]*?(?:\*/|$)`,
      `'${plain}`,
      '`(?:[^`]|``)*(?:`|$)',
      String.raw`\[[^\]]*(?:\]|$)`,
    ],
  };
  const words = String.raw`[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`;
  return new RegExp([...pieces[type], ...common, words, ';', String.raw`[^\s]`].join('|'), 'y');
}

function mysqlPieces(escaped: string): string[] {
  return [
    String.raw`--(?=\s|$)[^\n]*`,
    '#[^\n]*',
    String.raw`/\*[^]*?(?:\*/|$)`,
    `'${escaped}`,
    String.raw`"(?:[^\\"]|\\[^]|"")*(?:"|$)`,
    '`(?:[^`]|``)*(?:`|$)',
  ];
}

/** The end of a comment of PostgreSQL that begins here: they nest. */
function endOfNested(text: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

/** The pieces of a text and where they begin: comments, quoted texts and words as a whole, all else character by character. */
export function* piecesOf(text: string, type: DataSourceType): Generator<[at: number, piece: string]> {
  const piece = opaque(type);
  for (let at = 0; at < text.length; ) {
    const isNested = type === 'postgresql' && text.startsWith('/*', at);
    piece.lastIndex = at;
    const next = isNested ? text.slice(at, endOfNested(text, at)) : piece.exec(text)?.[0];
    if (next !== undefined) yield [at, next];
    at += next?.length ?? 1;
  }
}

const routines = new Set(['TRIGGER', 'PROCEDURE', 'FUNCTION', 'EVENT']);
/** Words after `END` that close a block which neither `BEGIN` nor `CASE` opened. */
const otherEnds = new Set(['IF', 'LOOP', 'WHILE', 'REPEAT']);

/** Depth of a position in the body of a routine, where a semicolon ends no statement. */
class Body {
  #words: string[] = [];
  #isRoutine = false;
  #last = '';
  depth = 0;

  take(word: string): void {
    const upper = word.toUpperCase();
    if (this.#words.length < 12) {
      this.#words.push(upper);
      this.#isRoutine ||= this.#words[0] === 'CREATE' && routines.has(upper);
    }
    if (this.#isRoutine) this.#follow(upper);
    this.#last = upper;
  }

  #follow(word: string): void {
    const closes = this.#last === 'END';
    if (closes && otherEnds.has(word)) this.depth += 1;
    else if (closes && word === 'CASE') return;
    else if (word === 'BEGIN' || word === 'CASE') this.depth += 1;
    else if (word === 'END') this.depth = Math.max(0, this.depth - 1);
  }
}

/**
 * Finds the statements of a text by the rules of its dialect. It only chooses what to send: the database decides what a
 * statement is, and takes no two as one.
 *
 * @param text what is in the editor
 * @param type the kind of database
 */
export function statementsOf(text: string, type: DataSourceType): readonly Statement[] {
  const statements: Statement[] = [];
  let body = new Body();
  let from = -1;
  let to = 0;
  const end = () => {
    if (from >= 0) statements.push({ from, to });
    from = -1;
    body = new Body();
  };
  for (const [at, next] of piecesOf(text, type)) {
    if (next === ';' && body.depth === 0) end();
    else if (!isComment(next, type)) {
      if (from < 0) from = at;
      to = at + next.length;
      if (/^[A-Za-z_]/.test(next)) body.take(next);
    }
  }
  end();
  return statements;
}

function isComment(piece: string, type: DataSourceType): boolean {
  // What MySQL runs although it looks like a comment.
  if (/^\/\*M?!/.test(piece)) return type === 'postgresql' || type === 'sqlite';
  if (piece.startsWith('--') || (piece.startsWith('/*') && piece.length > 1)) return true;
  return piece.startsWith('#') && (type === 'mysql' || type === 'mariadb');
}

/** The statement at a position: the one around it, else the one that ends before it on the same line, else the next. */
export function statementAt(text: string, statements: readonly Statement[], at: number): Statement | undefined {
  const around = statements.find(({ from, to }) => from <= at && at <= to);
  if (around !== undefined) return around;
  const previous = statements.findLast(({ to }) => to < at);
  if (previous !== undefined && !text.slice(previous.to, at).includes('\n')) return previous;
  return statements.find(({ from }) => from > at) ?? previous;
}
