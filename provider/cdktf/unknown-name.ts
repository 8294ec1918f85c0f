import { nearest } from '@rolecall/crds';
import type { IConstruct } from 'constructs';
import { PropertyError } from './errors.ts';

/**
 * The error for an unknown name, with the one that was probably meant.
 *
 * @param what it names none of, as the end of a sentence: `person of the team: adda`
 * @param names the names that there are
 */
export function unknownName(
  construct: IConstruct,
  property: string,
  what: string,
  name: string,
  names: readonly string[],
): PropertyError {
  const near = nearest(name, names);
  const list = names.length === 0 ? 'There is none.' : `There are: ${names.toSorted().join(', ')}.`;
  return new PropertyError(
    construct,
    property,
    `names no ${what}`,
    near === undefined ? list : `Did you mean ${near}?`,
  );
}
