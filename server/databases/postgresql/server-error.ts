import type { ErrorFields } from '../../protocols/postgresql/answers.ts';
import { CommandError } from '../session.ts';

/** An error of the server, with its detail, its hint and its position in the command. */
export class ServerError extends CommandError {
  override name = 'ServerError';
  /** Its SQLSTATE. */
  readonly code: string | undefined;

  constructor(fields: ErrorFields) {
    const {
      C: code,
      M: message = 'the server sent no reason',
      D: detail,
      H: hint,
      P: position,
    } = Object.fromEntries(fields);
    const parts = [];
    if (detail !== undefined) parts.push(`Detail: ${detail}`);
    if (hint !== undefined) parts.push(`Hint: ${hint}`);
    const reason = position === undefined ? message : `${message} (at character ${position})`;
    // On one line, because `describeFailure` replaces line breaks by spaces.
    super(parts.length === 0 ? reason : `${reason}. ${parts.join(' ')}`);
    this.code = code;
  }
}
