/** Tells JSON of other programs, such as a package.json, from objects of Kubernetes. */

import { isMapping } from '../json.ts';
import { kindNames } from '../kinds/registry.ts';
import { isObjectLike } from './envelope.ts';

/** Sign that a text which is not JSON was meant to be a definition. */
const meant = new RegExp(String.raw`rolecall|"kind"\s*:\s*"(?:${kindNames.join('|')})"`, 'i');

const isDefinition = (value: unknown): boolean => isMapping(value) && isObjectLike(value);

/**
 * True if a text of a .json file is neither an object of Kubernetes nor an attempt at a definition. Folders have such files, which are
 * nobody's mistake.
 */
export function isForeignJson(file: string, text: string): boolean {
  if (!/\.json$/i.test(file)) return false;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return !meant.test(text);
  }
  // A list of definitions is a mistake that its author has to hear of.
  return Array.isArray(value) ? !value.some(isDefinition) : !isDefinition(value);
}
