import type { OperationId } from '../../routes.ts';
import { RolecallError } from './rolecall-error.ts';

/** A request that cannot be written as HTTP, such as one with an empty path parameter. Nothing was sent. */
export class InvalidRequestError extends RolecallError {
  override name = 'InvalidRequestError';
  override readonly code = 'ERR_ROLECALL_INVALID_REQUEST';
  readonly operationId: OperationId;
  /** The parameter or field at fault. */
  readonly field: string;

  constructor(operationId: OperationId, field: string, what: string) {
    super(`${operationId}: ${field} ${what}`);
    this.operationId = operationId;
    this.field = field;
  }
}
