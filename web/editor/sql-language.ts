import { StreamLanguage, type StringStream } from '@codemirror/language';
import type { DataSourceType } from '@rolecall/api';
import { keywordsOf, typesOf } from './keywords.ts';

/** The construct that a line begins in: text that an earlier line opened. */
interface Inside {
  /** Text that closes it; empty where nothing is open. */
  close: string;
  tag: 'blockComment' | 'string' | null;
  /** True if a backslash takes the character after it. */
  escapes: boolean;
  /** Number of PostgreSQL comments that are open: they nest. */
  depth: number;
}

const nothing: Inside = { close: '', tag: null, escapes: false, depth: 0 };
const constants = new Set(['true', 'false', 'null']);

/** Reads the text of one dialect for its colours, and decides nothing else. The parser that CodeMirror has for SQL is ten times as large. */
class SqlReader {
  readonly #keywords: ReadonlySet<string>;
  readonly #types: ReadonlySet<string>;
  readonly #isMysql: boolean;
  readonly #type: DataSourceType;

  constructor(type: DataSourceType) {
    this.#type = type;
    this.#isMysql = type === 'mysql' || type === 'mariadb';
    this.#keywords = new Set(keywordsOf(type));
    this.#types = new Set(typesOf(type));
  }

  read(stream: StringStream, inside: Inside): string | null {
    if (inside.close !== '') return this.#readOn(stream, inside);
    if (stream.eatSpace()) return null;
    if (stream.match(this.#isMysql ? /^(?:--(?=\s|$)|#)/ : /^--/)) {
      stream.skipToEnd();
      return 'lineComment';
    }
    if (stream.match('/*')) return this.#readOn(stream, open(inside, { close: '*/', tag: 'blockComment' }));
    const dollar = this.#type === 'postgresql' && stream.match(/^\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/);
    if (Array.isArray(dollar)) return this.#readOn(stream, open(inside, { close: dollar[0], tag: 'string' }));
    const escapes = this.#isMysql || (this.#type === 'postgresql' && stream.match(/^[eE](?=')/) !== null);
    if (stream.eat("'")) return this.#readOn(stream, open(inside, { close: "'", tag: 'string', escapes }));
    const isText = this.#isMysql && stream.peek() === '"';
    const name = stream.eat(this.#type === 'postgresql' ? '"' : /["`]/);
    if (typeof name === 'string')
      return this.#readOn(stream, open(inside, { close: name, ...(isText ? { tag: 'string', escapes } : {}) }));
    if (stream.match(/^(?:0x[\da-f]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?)/i)) return 'number';
    if (stream.match(/^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/))
      return this.#wordTag(stream.current().toLowerCase());
    stream.next();
    return null;
  }

  /** Reads to what closes the text, or to the end of the line. A quote that is doubled opens it again at once. */
  #readOn(stream: StringStream, inside: Inside): string | null {
    const { tag } = inside;
    while (!stream.eol()) {
      if (inside.escapes && stream.eat('\\')) stream.next();
      else if (stream.match(inside.close)) {
        inside.depth -= 1;
        if (inside.depth > 0) continue;
        Object.assign(inside, nothing);
        break;
      } else if (tag === 'blockComment' && this.#type === 'postgresql' && stream.match('/*')) inside.depth += 1;
      else stream.next();
    }
    return tag;
  }

  #wordTag(word: string): string | null {
    if (constants.has(word)) return 'bool';
    if (this.#keywords.has(word)) return 'keyword';
    return this.#types.has(word) ? 'typeName' : null;
  }
}

function open(inside: Inside, opened: Partial<Inside>): Inside {
  return Object.assign(inside, nothing, { depth: 1 }, opened);
}

/** The text of a kind of database, as the editor colours it. */
export function sqlLanguage(type: DataSourceType): StreamLanguage<Inside> {
  const reader = new SqlReader(type);
  return StreamLanguage.define<Inside>({
    startState: () => ({ ...nothing }),
    copyState: (inside) => ({ ...inside }),
    token: (stream, inside) => reader.read(stream, inside),
    languageData: {
      commentTokens: { line: '--', block: { open: '/*', close: '*/' } },
      closeBrackets: { brackets: ['(', '[', '{', "'", '"', '`'] },
    },
  });
}
