import type { FatalError } from '../../protocols/fatal-error.ts';
import { type ErrorCode, errorPacket } from '../../protocols/mysql/answers.ts';

/** The errors of the gateway, by the SQLSTATEs that it has for every protocol (MySQL's and MariaDB's lists of server errors). */
const codes: Readonly<Record<string, ErrorCode>> = {
  '57P01': { number: 1927, sqlState: '70100' },
  '28000': { number: 1045, sqlState: '28000' },
  '28P01': { number: 1045, sqlState: '28000' },
  '53300': { number: 1040, sqlState: '08004' },
  '53200': { number: 1038, sqlState: 'HY001' },
  '53400': { number: 1461, sqlState: '42000' },
  '54000': { number: 1153, sqlState: '08S01' },
  '08P01': { number: 1835, sqlState: 'HY000' },
  '3D000': { number: 1046, sqlState: '3D000' },
};
const otherError: ErrorCode = { number: 1105, sqlState: 'HY000' };

/** The error of commands that the gateway refuses. */
export const unknownCommand: ErrorCode = { number: 1047, sqlState: '08S01' };

/** Writes the error that ends a session, or refuses one. */
export function fatalPacket(sequence: number, { sqlState, message, hint }: FatalError): Buffer {
  const text = hint === undefined ? message : `${message}. ${hint}`;
  return errorPacket.encode(sequence, codes[sqlState] ?? otherError, text);
}
