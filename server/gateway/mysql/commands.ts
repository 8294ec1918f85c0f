import { command } from '../../protocols/mysql/requests.ts';

const passed = new Set(Object.values(command).filter((code) => code !== command.changeUser));

/** Commands that are known and refused, with the reason for the person. */
const refused = new Map<number, string>([
  [0x05, 'COM_CREATE_DB is refused: send CREATE DATABASE as a statement'],
  [0x06, 'COM_DROP_DB is refused: send DROP DATABASE as a statement'],
  [0x07, 'COM_REFRESH is refused: send FLUSH as a statement'],
  [0x08, 'COM_SHUTDOWN is refused: the gateway is for queries'],
  [0x0d, 'COM_DEBUG is refused: the gateway is for queries'],
  [0x12, 'COM_BINLOG_DUMP is refused: it would copy the whole server'],
  [0x13, 'COM_TABLE_DUMP is refused: it would copy the whole table unseen'],
  [0x15, 'COM_REGISTER_SLAVE is refused: the gateway is for queries'],
  [0x1e, 'COM_BINLOG_DUMP_GTID is refused: it would copy the whole server'],
  [0x20, 'COM_CLONE is refused: it would copy the whole server'],
]);

/**
 * The ids of connections that clients are told are from here on, where no server's own ids are. Below 2^31, since drivers take
 * them for signed numbers.
 */
export const firstConnectionId = 2 ** 30;

/** A command that the gateway answers itself. The second is the client's answer to the request for a proof, which is no command. */
export type Local = { readonly kind: 'refused'; readonly reason: string } | { readonly kind: 'change user' | 'proof' };

/** Bytes of a command that the gateway reads before it decides, where it does not need the whole. */
export const longestDecided = 64;

/** The longest text in which the gateway looks for sessions that are to be stopped, in bytes: it is held until it has arrived. */
export const longestSearched = 4096;

/** Returns the bytes of a command of this length that have to be there before anything of it is passed on. */
export function neededOf(code: number, length: number): number {
  const isText = code === command.query || code === command.prepare;
  return isText && length <= longestSearched ? length : Math.min(length, longestDecided);
}

/**
 * Decides whether the gateway answers a command itself.
 *
 * @param body what comes after the command's number
 * @param isOwn whether the session with an id may be stopped by this client
 * @returns undefined for one that is passed on
 */
export function decide(code: number, body: Buffer, isOwn: (id: number) => boolean): Local | undefined {
  if (code === command.changeUser) return { kind: 'change user' };
  if (!passed.has(code)) {
    return { kind: 'refused', reason: refused.get(code) ?? `the gateway does not know the command ${code}` };
  }
  if (code !== command.processKill || (body.length === 4 && isOwn(body.readUInt32LE()))) return undefined;
  return {
    kind: 'refused',
    reason: 'COM_PROCESS_KILL is refused, except for sessions of yours: send KILL as a statement',
  };
}

/** Returns the bytes of a command that are read, behind its number. */
export function wantedOf(code: number): number {
  if (code === command.query || code === command.prepare) return longestStatement;
  return code === command.initDatabase || code === command.fieldList ? longestDecided * 16 : longestDecided;
}

/** The longest statement, in bytes: it is held in memory until it has arrived. */
export const longestStatement = 64 * 1024 * 1024;
