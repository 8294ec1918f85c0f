import type { OperationId } from '../routes.ts';
import { InvalidRequestError } from './errors.ts';

/**
 * Writes fields as a form. A form has only strings: null becomes the empty string, which the service takes for null,
 * and what is undefined is left out.
 *
 * @throws InvalidRequestError for a value that a form cannot carry
 */
export function encodeForm(operationId: OperationId, fields: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, formValue(operationId, name, value));
  }
  return form.toString();
}

function formValue(operationId: OperationId, name: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') throw new InvalidRequestError(operationId, name, 'cannot be written in a form');
  // URLSearchParams would send U+FFFD in its place, and the service would store another text than was given.
  if (!value.isWellFormed()) throw new InvalidRequestError(operationId, name, 'has half of a surrogate pair');
  return value;
}
