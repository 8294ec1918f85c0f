export type SavedPlanFault =
  | 'ERR_PLAN_NOT_JSON'
  | 'ERR_PLAN_FORMAT'
  | 'ERR_PLAN_VERSION'
  | 'ERR_PLAN_EDITED'
  | 'ERR_PLAN_SIGNATURE';

/** A saved plan that cannot be run. The message says what is wrong and what to do, and follows the name of the file. */
export class SavedPlanError extends Error {
  override name = 'SavedPlanError';
  readonly code: SavedPlanFault;

  constructor(code: SavedPlanFault, message: string) {
    super(message);
    this.code = code;
  }
}
