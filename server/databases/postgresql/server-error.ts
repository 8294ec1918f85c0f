import { CommandError } from '../session.ts';

/** What the server said went wrong, with its detail, its hint, and where in the command it points to. */
export class ServerError extends CommandError {
  override name = 'ServerError';
  /** Whether the server closes the connection after it. */
  readonly fatal: boolean;

  constructor(fields: ReadonlyMap<string, string>) {
    const { M: message = 'the server gave no reason', D: detail, H: hint, P: position } = Object.fromEntries(fields);
    const parts = [position === undefined ? message : `${message} (at character ${position})`];
    if (detail !== undefined) parts.push(`Detail: ${detail}`);
    if (hint !== undefined) parts.push(`Hint: ${hint}`);
    super(parts.join('\n'));
    const severity = fields.get('V') ?? fields.get('S');
    this.fatal = severity === 'FATAL' || severity === 'PANIC';
  }
}
