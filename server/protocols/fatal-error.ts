/** An error that ends a connection, with its SQLSTATE. The message is for the person. */
export class FatalError extends Error {
  override name = 'FatalError';
  /** Five letters and digits (PostgreSQL's manual, "PostgreSQL Error Codes"). */
  readonly sqlState: string;
  readonly hint: string | undefined;

  constructor(sqlState: string, message: string, hint?: string) {
    super(message);
    this.sqlState = sqlState;
    this.hint = hint;
  }
}
