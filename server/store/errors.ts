/** A row would duplicate a value that must be unique. */
export class UniqueError extends Error {
  override name = 'UniqueError';
  readonly code = 'ERR_STORE_UNIQUE';
  /** `table.column`. */
  readonly column: string;
  constructor(column: string) {
    super(`there is a row with this ${column} already`);
    this.column = column;
  }
}

/** The store cannot be read or written at the moment: disk full, connection lost, locked for too long. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  readonly code = 'ERR_STORE_UNAVAILABLE';
  /** True if the only reason is that another connection has the lock. */
  readonly busy: boolean;
  /** True if a write may have been stored all the same: the connection ended while it was being committed. */
  readonly maybeStored: boolean;
  /** True if the only reason is a full disk. */
  readonly full: boolean;
  constructor(
    message: string,
    options: { busy?: boolean; maybeStored?: boolean; full?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.busy = options.busy ?? false;
    this.maybeStored = options.maybeStored ?? false;
    this.full = options.full ?? false;
  }
}

/**
 * Another process held the write lock for longer than this one waited.
 *
 * @param cause the database's own error
 */
export function storeBusy(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    'the store is busy: another process has been writing to it, or bringing it up to date, for as long as this one waited; try again once that has ended',
    { busy: true, cause },
  );
}

/** The audit trail is not as the service sealed it: it was changed in the database. Nothing may be added to it. */
export class AuditTrailError extends Error {
  override name = 'AuditTrailError';
  readonly code = 'ERR_AUDIT_TRAIL';
  /** @param problem as in "has lost its last entry" */
  constructor(problem: string) {
    super(
      `the audit trail ${problem}: it was changed in the database, and nothing is written until you have looked into it. "rolecall audit verify" says more; once you know what happened, "rolecall audit resume --reason TEXT" lets the trail go on from where it is, and records that`,
    );
  }
}

/** A newer version of Rolecall made the store; this one would not understand it. */
export class StoreVersionError extends Error {
  override name = 'StoreVersionError';
  readonly code = 'ERR_STORE_VERSION';
}

/** Another process serves from the same folder. */
export class StoreLockedError extends Error {
  override name = 'StoreLockedError';
  readonly code = 'ERR_STORE_LOCKED';
}

/** The store's key is missing, has the wrong form, or is not the one that the store was made with. */
export class StoreKeyError extends Error {
  override name = 'StoreKeyError';
  readonly code = 'ERR_STORE_KEY';
}

/** The store's key was changed (`rolecall store rekey`), and this process does not have the new one yet. */
export class StoreKeyChangedError extends Error {
  override name = 'StoreKeyChangedError';
  readonly code = 'ERR_STORE_KEY_CHANGED';
}

/** The URL of the store's database cannot be used. The message never repeats it, since it may contain a password. */
export class StoreUrlError extends Error {
  override name = 'StoreUrlError';
  readonly code = 'ERR_STORE_URL';
}
