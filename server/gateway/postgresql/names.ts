import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import type { MemoryShare } from '../memory.ts';

/** The most prepared statements or portals of one session, and how many characters their texts may have. */
const mostNames = 4096;
const mostText = 16 * 1024 * 1024;
/** Bytes that a name and its entry take. */
const nameBytes = 256;
const tooManyNames = `the session has more than ${mostNames} prepared statements or portals: close some`;
const tooMuchText = `the prepared statements of the session are longer than ${mostText / 1024 / 1024} MiB: close some`;

/** The prepared statements and the portals of a session, by their names. */
export class Names {
  readonly #digest: (text: string) => TextDigest;
  readonly #memory: Pick<MemoryShare, 'add'>;
  readonly #prepared = new Map<string, TextDigest>();
  /** Number of characters in their texts. */
  #textLength = 0;
  readonly #portals = new Map<string, TextDigest>();
  /** The one without a name is the most frequent by far. */
  #unnamedPortal: TextDigest | undefined;

  /** @param digest how the audit trail shows a text */
  constructor(digest: (text: string) => TextDigest, memory: Pick<MemoryShare, 'add'>) {
    this.#digest = digest;
    this.#memory = memory;
  }

  prepared(name: string): TextDigest | undefined {
    return this.#prepared.get(name);
  }

  portal(name: string): TextDigest | undefined {
    return name === '' ? this.#unnamedPortal : this.#portals.get(name);
  }

  /** @throws FatalError where there are too many */
  prepare(name: string, statement: TextDigest): void {
    this.forget(name);
    this.#prepared.set(name, statement);
    const { length } = statement.text ?? '';
    this.#textLength += length;
    this.#memory.add(nameBytes + length);
    if (this.#prepared.size > mostNames) throw new FatalError('53400', tooManyNames);
    if (this.#textLength > mostText) throw new FatalError('53400', tooMuchText);
  }

  /** Makes a portal of a prepared statement. @returns the statement @throws FatalError where there are too many */
  bind(portal: string, of: string): TextDigest {
    const statement = this.#prepared.get(of) ?? this.#digest(`statement ${of}`);
    if (portal === '') this.#unnamedPortal = statement;
    else {
      this.closePortal(portal);
      this.#memory.add(nameBytes);
      this.#portals.set(portal, statement);
      if (this.#portals.size > mostNames) throw new FatalError('53400', tooManyNames);
    }
    return statement;
  }

  forget(name: string): void {
    const statement = this.#prepared.get(name);
    if (statement === undefined) return;
    const { length } = statement.text ?? '';
    this.#prepared.delete(name);
    this.#textLength -= length;
    this.#memory.add(-nameBytes - length);
  }

  closePortal(name: string): void {
    if (name === '') this.#unnamedPortal = undefined;
    else if (this.#portals.delete(name)) this.#memory.add(-nameBytes);
  }

  /** Portals end with their transaction. */
  transactionEnded(): void {
    this.#unnamedPortal = undefined;
    if (this.#portals.size > 0) this.#closeNamed();
  }

  /**
   * Follows what SQL does to names.
   *
   * @param tag of a command that has completed
   * @param deallocates the prepared statement that the text of the command deallocates, if it does nothing else
   */
  completed(tag: string, deallocates: string | undefined): void {
    if (tag === 'DEALLOCATE' && deallocates !== undefined) this.forget(deallocates);
    else if (/^(DEALLOCATE|DISCARD ALL)/.test(tag)) {
      // The text may prepare something else under any of the names.
      for (const name of [...this.#prepared.keys()]) this.forget(name);
    }
    if (/^(CLOSE CURSOR|DISCARD ALL)/.test(tag)) this.#closeNamed();
  }

  #closeNamed(): void {
    this.#memory.add(-this.#portals.size * nameBytes);
    this.#portals.clear();
  }
}

/**
 * The prepared statement that a text deallocates: drivers make room for others so, under names that they never use again.
 *
 * @returns undefined for any other text, also for several statements at once, and for names that servers may read otherwise
 */
export function deallocated(text: string): string | undefined {
  const [, quoted, plain] = deallocate.exec(text) ?? [];
  return quoted ?? plain?.toLowerCase();
}

// With two \s* side by side, it would take hours for a long text of spaces.
const deallocate = /^\s*deallocate\s+(?:prepare\s+)?(?:"([ !#-~]{1,63})"|([a-z_][\w$]{0,62}))\s*(?:;\s*)?$/i;
