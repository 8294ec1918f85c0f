import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import type { Value } from '../values/value.ts';
import { isTrue } from './values.ts';

/**
 * Refuses what would delete an object that somebody protected.
 *
 * @param what such as `person`
 * @param name how people know it
 * @param fate what would become of it, such as `be deleted`
 * @throws DiagnosticError when it is protected
 */
export function refuseProtected(
  object: Readonly<Record<string, Value>>,
  { what, name, fate }: { readonly what: string; readonly name: string; readonly fate: string },
): void {
  if (!isTrue(object, 'protected')) return;
  throw new DiagnosticError(
    failure(
      `The ${what} ${name} is protected`,
      `${name} would ${fate}, and protected = true forbids it. If it is meant, set protected = false and apply that first.`,
      ['protected'],
    ),
  );
}
