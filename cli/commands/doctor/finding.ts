export type Status = 'ok' | 'warning' | 'failure' | 'skipped';

/** One thing that was looked at. */
export interface Finding {
  /** A stable name, for scripts. */
  readonly check: 'runtime' | 'definitions' | 'url' | 'key' | 'service' | 'version' | 'certificate' | 'clock' | 'scope';
  readonly status: Status;
  /** What was seen. */
  readonly message: string;
  /** What to do; nothing where all is well. */
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

/** What could not be looked at because something before it failed. */
export const skipped = (check: Check, message: string): Finding => ({ check, status: 'skipped', message });
