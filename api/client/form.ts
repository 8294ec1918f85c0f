import { InvalidRequestError } from './errors.ts';

/**
 * Writes fields as a form. Null becomes the empty string, which the service reads as null; undefined fields are left out.
 *
 * @throws InvalidRequestError for a value that a form cannot carry
 */
export function encodeForm(operationId: string, fields: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, formValue(operationId, name, value));
  }
  return form.toString();
}

function formValue(operationId: string, name: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') throw new InvalidRequestError(operationId, name, 'cannot be written in a form');
  // URLSearchParams would replace it by U+FFFD, and the service would store a different text.
  if (!value.isWellFormed()) throw new InvalidRequestError(operationId, name, 'has half of a surrogate pair');
  return value;
}
