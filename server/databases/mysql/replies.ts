import { CommandError } from '../session.ts';
import { broken, readLength } from './packets.ts';

/** Flags of a reply: the state of the session (MySQL's manual, "SERVER_STATUS_flags_enum"). */
export const inTransaction = 1;
export const moreResults = 8;

/** The end of a result, or the answer to a command without one. */
export interface Ending {
  affectedRows: number;
  status: number;
}

/** OK packet: 0, rows, last id, status. */
export function readOk(bytes: Buffer, start: number, end: number): Ending {
  const rows = readLength(bytes, start + 1, end);
  const id = readLength(bytes, rows.at, end);
  if (id.at + 2 > end) throw new Error(broken);
  return { affectedRows: rows.value ?? 0, status: bytes.readUInt16LE(id.at) };
}

/** EOF packet: 254, warnings, status. A row may begin with 254 too, but is then longer. */
export function isEof(bytes: Buffer, start: number, end: number): boolean {
  return bytes[start] === 0xfe && end - start < 9;
}

export function readEof(bytes: Buffer, start: number, end: number): Ending {
  if (end - start < 5) throw new Error(broken);
  return { affectedRows: 0, status: bytes.readUInt16LE(start + 3) };
}

/** ERR packet: 255, number, `#` and SQL state, message. */
export function readError(bytes: Buffer, start: number, end: number): CommandError {
  const from = bytes[start + 3] === 0x23 ? start + 9 : start + 3;
  return new CommandError(bytes.toString('utf8', Math.min(from, end), end));
}
