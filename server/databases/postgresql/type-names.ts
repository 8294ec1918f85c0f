import type { Field } from '../../protocols/postgresql/answers.ts';
import { bind, close, execute, parse, sync } from '../../protocols/postgresql/requests.ts';
import { askTexts, type Conversation } from './conversation.ts';

const name = 'rolecall_types';
const textType = '25:-1';

/** Returns the types of columns in the server's own words. Asks once for each. */
export type TypeNames = (fields: readonly Field[]) => Promise<string[]>;

/**
 * Uses a named statement, so that the user's unnamed one stays parsed. Text is known from the start: SHOW answers with texts, and
 * a query in between would take the snapshot that SET TRANSACTION must precede.
 */
export function typeNames(conversation: Conversation): TypeNames {
  const namesByKey = new Map([[textType, 'text']]);
  return async (fields) => {
    const keys = fields.map(({ oid, modifier }) => `${oid}:${modifier}`);
    const unknown = [...new Set(keys)].filter((key) => !namesByKey.has(key));
    if (unknown.length > 0) {
      const calls = unknown.map((key) => `pg_catalog.format_type(${key.replace(':', ', ')})`);
      const request = [
        parse.encode(name, `SELECT ${calls.join(', ')}`),
        bind.encode(name, name, []),
        execute.encode(name),
        close.encode('portal', name),
        close.encode('statement', name),
        sync,
      ];
      const { texts } = await askTexts(conversation, Buffer.concat(request));
      for (const [index, key] of unknown.entries()) namesByKey.set(key, texts[index] ?? 'unknown');
    }
    return keys.map((key) => namesByKey.get(key) ?? 'unknown');
  };
}
