import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { bind, call, client, close, execute, longestName, parse, query } from '../../protocols/postgresql/requests.ts';
import { statementText } from '../statement-text.ts';
import { Request } from './request-queue.ts';

/** The longest statement, in bytes: it is held in memory until it has arrived. */
const longestStatement = 64 * 1024 * 1024;
/** Length of the names that a message begins with: a letter, and two names with their ends. */
const namesLength = 1 + 2 * (longestName + 1);

const withNames = new Set([client.bind, client.describe, client.execute, client.close]);
const withoutBody = new Set([
  client.sync,
  client.flush,
  client.copyData,
  client.copyDone,
  client.copyFail,
  client.terminate,
]);

/** Gives how many bytes of a message are read, behind its length. @throws FatalError */
export function wantedOfClient(type: number, length: number): number {
  if (type === client.query || type === client.parse) {
    if (length <= longestStatement) return length;
    throw new FatalError('54000', `a statement is longer than ${longestStatement / 1024 / 1024} MiB: send it in parts`);
  }
  if (withNames.has(type)) return namesLength;
  if (type === client.call) return 4;
  // The server answers them with an error then, and ignores what comes next.
  if (length > 0 && (type === client.sync || type === client.flush)) {
    throw new FatalError('08P01', 'the client sent a Sync or Flush with a body, which none has');
  }
  if (withoutBody.has(type)) return 0;
  throw new FatalError('08P01', `the client sent a message of the unknown type ${type}`);
}

/**
 * Reads what a message asks for.
 *
 * @param digest how the audit trail shows a text
 * @returns undefined for a message that has no answer of its own, or one that depends on what came before
 * @throws FatalError
 */
export function readRequest(
  type: number,
  bytes: Buffer,
  start: number,
  end: number,
  digest: (text: string) => TextDigest,
): Request | undefined {
  switch (type) {
    case client.query: {
      const text = statementText(query.decode(bytes, start, end));
      return new Request('query', '', '', digest(text), text);
    }
    case client.call:
      return new Request('call', '', '', digest(`function call ${call.decode(bytes, start, end)}`));
    case client.parse: {
      const { name, sql } = parse.decode(bytes, start, end);
      return new Request('parsed', name, '', digest(statementText(sql)));
    }
    case client.bind: {
      const { portal, statement } = bind.decode(bytes, start, end);
      return new Request('bound', portal, statement);
    }
    case client.execute:
      return new Request('execute', execute.decode(bytes, start, end));
    case client.describe:
      return new Request('described');
    case client.close: {
      const { kind, name } = close.decode(bytes, start, end);
      return new Request(kind === 'statement' ? 'statement closed' : 'portal closed', name);
    }
    default:
      return undefined;
  }
}
