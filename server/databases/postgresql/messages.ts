import { frameReader } from '../connections/frames.ts';
import { CommandError, longestRow, rowTooLong } from '../session.ts';

/** Gets a message of the server: its type, and the position of its body. The bytes are valid until the call returns. */
export type OnMessage = (type: number, bytes: Buffer, start: number, end: number) => void;

const headerLength = 5;

/**
 * Splits a stream of PostgreSQL's protocol into messages, chunk by chunk, without copying those that arrive in one piece.
 *
 * @returns takes the next chunk; throws if the stream is not PostgreSQL's protocol or a row is too long, and what `onMessage`
 *   throws
 */
export function messageReader(onMessage: OnMessage): (chunk: Buffer) => void {
  return frameReader(headerLength, sizeAt, (bytes, start, end) => {
    onMessage(bytes[start - headerLength] ?? 0, bytes, start, end);
  });
}

const dataRow = 0x44;

/** The length of the message that begins here, including its type. */
function sizeAt(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1);
  if (length < 4) throw new Error(notPostgresql);
  if (length > longestRow) throw new Error(bytes[at] === dataRow ? rowTooLong : notPostgresql);
  return length + 1;
}

const notPostgresql = 'the server does not speak the protocol of PostgreSQL';

/** Fields of an error, each a letter and a text (PostgreSQL's manual, "Error and Notice Message Fields"). */
export function readFields(bytes: Buffer, start: number, end: number): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let at = start; at < end && bytes[at] !== 0; ) {
    const stop = bytes.indexOf(0, at + 1);
    if (stop === -1 || stop >= end) break;
    fields.set(String.fromCharCode(bytes[at] ?? 0), bytes.toString('utf8', at + 1, stop));
    at = stop + 1;
  }
  return fields;
}

/** An error of the server, with its detail, its hint and its position in the command. */
export class ServerError extends CommandError {
  override name = 'ServerError';
  /** Whether the server closes the connection after it. */
  readonly fatal: boolean;

  constructor(fields: ReadonlyMap<string, string>) {
    const { M: message = 'the server sent no reason', D: detail, H: hint, P: position } = Object.fromEntries(fields);
    const parts = [];
    if (detail !== undefined) parts.push(`Detail: ${detail}`);
    if (hint !== undefined) parts.push(`Hint: ${hint}`);
    const reason = position === undefined ? message : `${message} (at character ${position})`;
    // On one line, because `describeFailure` replaces line breaks by spaces.
    super(parts.length === 0 ? reason : `${reason}. ${parts.join(' ')}`);
    const severity = fields.get('V') ?? fields.get('S');
    this.fatal = severity === 'FATAL' || severity === 'PANIC';
  }
}

/** The text from here to its NUL. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const stop = bytes.indexOf(0, start);
  return bytes.toString('utf8', start, stop === -1 || stop > end ? end : stop);
}
