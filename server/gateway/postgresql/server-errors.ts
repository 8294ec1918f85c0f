import { errorResponse } from '../../protocols/postgresql/answers.ts';
import { hasBytes } from '../statement-text.ts';
import { isInLiteral } from './literals.ts';
import type { Request } from './request-queue.ts';

/** Bytes of an error that are read: its message may quote a statement, and the place that raised it comes behind that. */
export const longestError = 64 * 1024;

/** An error as the server sends it (PostgreSQL's manual, "Error and Notice Message Fields"). */
export interface ServerError {
  readonly sqlState: string;
  readonly message: string;
  /** True if the server ends the session. */
  readonly isFatal: boolean;
  /** The place in the statement that it is about, in characters from 1; undefined if it names none. */
  readonly position: number | undefined;
  /** File of the server's source that raised it. */
  readonly file: string | undefined;
  readonly routine: string | undefined;
  /** True if it comes from something that a statement runs in turn. */
  readonly isInner: boolean;
}

export function readServerError(bytes: Buffer, start: number, end: number): ServerError {
  const fields = errorResponse.decode(bytes, start, end);
  const sqlState = fields.get('C') ?? '';
  return {
    sqlState: /^[0-9A-Z]{5}$/.test(sqlState) ? sqlState : '',
    message: fields.get('M') ?? '',
    // Only servers before 9.6 leave out the severity that is not translated.
    isFatal: /^(FATAL|PANIC)$/.test(fields.get('V') ?? fields.get('S') ?? ''),
    position: fields.has('P') ? Number(fields.get('P')) : undefined,
    file: fields.get('F'),
    routine: fields.get('R'),
    isInner: fields.has('q') || fields.has('W'),
  };
}

/** The files of the server that raise errors about a text before any statement in it runs. */
const grammar = ['scan.l', 'gram.y', 'parser.c'];

/** The file of the server that raises errors about messages that are malformed. What a statement reads in binary form raises them, too. */
const messageReader = 'pqformat.c';

/** Function that raises errors about function calls before they are logged, besides the search for the function. */
const callHandler = 'HandleFunctionRequest';

/** Statements that carry code of their own, whose errors the server places in the statement around it. */
const mayCarryCode = /\b(?:function|procedure|do)\b/i;

/** Functions that raise errors about bytes outside the client's encoding. A function of SQL may raise them about its own bytes. */
const decoder = /^report_(invalid_encoding|untranslatable_char)/;

/** Such bytes, as the message of the error shows them. */
const wrongBytes = /0x[0-9a-f]{2}(?: 0x[0-9a-f]{2})*/;

/**
 * True if an error tells that nothing has run: the server logs no statement then. In doubt, the request has run.
 *
 * @param request that the error answers
 * @param wasAnswered true if the server had answered a part of it before
 */
export function hasNotRun({ kind, text }: Request, error: ServerError, wasAnswered: boolean): boolean {
  const { routine = '' } = error;
  // There is no such function, or a transaction that has failed takes none.
  if (kind === 'call') return routine === 'fetch_fp_info' || (error.sqlState === '25P02' && routine === callHandler);
  if (wasAnswered || error.isInner) return false;
  if (error.file === messageReader) return true;
  if (kind === 'execute') return error.sqlState === '34000' && routine === 'exec_execute_message';
  if (text === undefined) return false;
  if (decoder.test(routine)) {
    const [shown = ''] = wrongBytes.exec(error.message) ?? [];
    return shown !== '' && hasBytes(text, Buffer.from(shown.replaceAll(/0x| /g, ''), 'hex'));
  }
  return grammar.includes(error.file ?? '') && !isInCode(text, error.position);
}

/** True if an error of the grammar may be one of code in the statement, which has run then. */
function isInCode(text: string, position: number | undefined): boolean {
  if (!mayCarryCode.test(text)) return false;
  if (position === undefined || text.includes('\\')) return true;
  const textBefore = Array.from(text)
    .slice(0, position - 1)
    .join('');
  return isInLiteral(text, textBefore.length);
}
