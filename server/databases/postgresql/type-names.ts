import type { Field } from './columns.ts';
import type { Conversation } from './conversation.ts';
import { readText } from './messages.ts';
import { bind, closePortal, closeStatement, execute, parse, sync } from './requests.ts';

const name = 'rolecall_types';
const textType = '25:-1';

/** Returns the types of columns in the server's own words. Asks once for each. */
export type TypeNames = (fields: readonly Field[]) => Promise<string[]>;

/**
 * Uses a named statement, so that the user's unnamed one stays parsed. Text is known from the start: SHOW answers with texts, and
 * a query in between would take the snapshot that SET TRANSACTION must precede.
 */
export function typeNames(conversation: Conversation): TypeNames {
  const known = new Map([[textType, 'text']]);
  return async (fields) => {
    const keys = fields.map(({ oid, modifier }) => `${oid}:${modifier}`);
    const unknown = [...new Set(keys)].filter((key) => !known.has(key));
    if (unknown.length > 0) {
      const calls = unknown.map((key) => `pg_catalog.format_type(${key.replace(':', ', ')})`);
      const request = [
        parse(name, `SELECT ${calls.join(', ')}`),
        bind(name, name, []),
        execute(name),
        closePortal(name),
        closeStatement(name),
        sync,
      ];
      let names: string[] = [];
      await conversation.ask(Buffer.concat(request), (bytes, start, end) => {
        names = readTexts(bytes, start, end);
      });
      for (const [index, key] of unknown.entries()) known.set(key, names[index] ?? 'unknown');
    }
    return keys.map((key) => known.get(key) ?? 'unknown');
  };
}

/** The cells of a row of texts. */
function readTexts(bytes: Buffer, start: number, end: number): string[] {
  const texts: string[] = [];
  for (let at = start + 2; at + 4 <= end; ) {
    const length = Math.max(0, bytes.readInt32BE(at));
    texts.push(readText(bytes, at + 4, Math.min(at + 4 + length, end)));
    at += 4 + length;
  }
  return texts;
}
