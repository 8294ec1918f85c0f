export type Status = 'ok' | 'warning' | 'failure' | 'skipped';

/** The result of one check. */
export interface Finding {
  /** A stable name, for scripts. */
  readonly check: 'runtime' | 'definitions' | 'url' | 'key' | 'service' | 'version' | 'certificate' | 'clock' | 'scope';
  readonly status: Status;
  /** The observation. */
  readonly message: string;
  /** Remedy; nothing where all is well. */
  readonly remedy?: string;
}

type Check = Finding['check'];

export const ok = (check: Check, message: string): Finding => ({ check, status: 'ok', message });

export const warning = (check: Check, message: string, remedy: string): Finding => ({
  check,
  status: 'warning',
  message,
  remedy,
});

export const failure = (check: Check, message: string, remedy?: string): Finding => ({
  check,
  status: 'failure',
  message,
  ...(remedy === undefined ? {} : { remedy }),
});

/** A check that could not run because an earlier one failed. */
export const skipped = (check: Check, message: string): Finding => ({ check, status: 'skipped', message });
