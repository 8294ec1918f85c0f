import { command } from '../../protocols/mysql/requests.ts';
import { longestSearched } from './commands.ts';

/** Gives the server's number of a session that one may stop, by the id that its client knows; undefined for any other id. */
export type ServerId = (id: number) => number | undefined;

/** Digits of an id that the gateway has given. */
const digits = 10;

/**
 * The words of a text, so that a number is only changed where it is one. A text after `PREPARE … FROM` and `EXECUTE IMMEDIATE` is
 * read like a statement, and one that does not end lasts to the end: no part of the pattern is tried twice.
 */
const tokens = new RegExp(
  [
    String.raw`(?<blank>\s+|\(|--(?=\s)[^\n]*|#[^\n]*|\/\*M?!\d*|\*\/|\/\*[^]*?(?:\*\/|$))`,
    String.raw`(?<id>(?<![\w$@.])\d{${digits}}(?![\w$.])|'\d{${digits}}'|"\d{${digits}}")`,
    String.raw`(?<!\b(?:from|immediate)\s*)(?:'(?:[^'\\]|\\[^]|'')*(?:'|$)|"(?:[^"\\]|\\[^]|"")*(?:"|$))`,
    '`[^`]*(?:`|$)',
    String.raw`(?<word>[\w$@.\x80-\xff]+)`,
    '[^]',
  ].join('|'),
  'giu',
);

/** Words that may stand between KILL and an id of a connection. QUERY ID is followed by another kind of number. */
const betweenWords = new Set(['hard', 'soft', 'connection', 'query']);

/** Sessions that a statement stops. */
export interface Killed {
  /** Places of the ids of connections in the text. */
  readonly ids: readonly number[];
  /** True if an id is a parameter. */
  readonly byParameter: boolean;
}

/** Finds what KILL stops, wherever it is in a text. KILL is a reserved word, so nothing else has that name. */
export function findKilled(statement: Buffer): Killed {
  const ids: number[] = [];
  let [isNext, byParameter] = [false, false];
  const text = statement.length > longestSearched ? '' : statement.toString('latin1');
  if (!/kill/i.test(text)) return { ids, byParameter };
  for (const { 0: token, index, groups } of text.matchAll(tokens)) {
    if (groups?.['blank'] !== undefined) continue;
    if (isNext && groups?.['id'] !== undefined) ids.push(index + (token.length > digits ? 1 : 0));
    byParameter ||= isNext && token === '?';
    const word = token.toLowerCase();
    isNext = word === 'kill' || (isNext && betweenWords.has(word));
  }
  return { ids, byParameter };
}

/**
 * Writes the server's ids over those that the gateway has given, at the same length, in a command that stops a session. The server
 * decides by its own rules about what is left as it is: it has no such ids.
 *
 * @param body what comes after the command's number
 * @param byParameter whether it runs a prepared statement that stops the session of its parameter
 */
export function translateKilled(
  code: number,
  body: Buffer,
  serverId: ServerId,
  byParameter: (body: Buffer) => boolean,
): void {
  if (code === command.query || code === command.prepare) {
    for (const at of findKilled(body).ids) translateDigits(body.subarray(at), serverId);
  }
  if (code === command.processKill) translateInteger(body.subarray(0, 4), serverId);
  if (code === command.execute && byParameter(body)) translateParameter(body, serverId);
}

function translateDigits(bytes: Buffer, serverId: ServerId): void {
  const id = serverId(Number(bytes.toString('latin1', 0, digits)));
  if (id !== undefined) bytes.write(String(id).padStart(digits, '0'), 'latin1');
}

function translateInteger(bytes: Buffer, serverId: ServerId): void {
  const id = serverId(bytes.readUInt32LE());
  if (id !== undefined) bytes.writeUInt32LE(id);
}

/** Place of the only parameter of COM_STMT_EXECUTE, and the length of its type, which comes first where it is sent again. */
const [typeAt, typeLength] = [11, 2];

/** An id as drivers send numbers: as an integer, a floating-point number or digits. */
function translateParameter(body: Buffer, serverId: ServerId): void {
  const value = body.subarray(typeAt + (body[typeAt - 1] === 1 ? typeLength : 0));
  if (value.length === 4) translateInteger(value, serverId);
  if (value.length === digits + 1) translateDigits(value.subarray(1), serverId);
  if (value.length !== 8) return;
  const [integer, float] = [serverId(Number(value.readBigUInt64LE())), serverId(value.readDoubleLE())];
  if (integer !== undefined) value.writeBigUInt64LE(BigInt(integer));
  if (float !== undefined) value.writeDoubleLE(float);
}
