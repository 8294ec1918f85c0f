import { isUnknown, type ObjectValue, type Value } from '../../plugin/values/value.ts';

/** The text of an attribute; undefined when it is null or not known. */
export function textOf(object: ObjectValue, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** The text of an attribute that must have one here. */
export function needText(object: ObjectValue, name: string): string {
  const text = textOf(object, name);
  if (text === undefined) throw new TypeError(`${name} must be known here`);
  return text;
}

export function isTrue(object: ObjectValue | null, name: string): boolean {
  return object?.[name] === true;
}

/** The texts of a list or set; undefined when it, or one of them, is not known. */
export function textsOf(object: ObjectValue, name: string): readonly string[] | undefined {
  const value = object[name];
  if (!Array.isArray(value)) return undefined;
  const texts = textItems(value);
  return texts.length === value.length ? texts : undefined;
}

/** The elements that are known. */
export function textItems(items: readonly Value[]): readonly string[] {
  return items.filter((item) => typeof item === 'string');
}

/** The texts of a list or set that must have them here: none at all would empty what they are the members of. */
export function needTexts(object: ObjectValue, name: string): readonly string[] {
  const texts = textsOf(object, name);
  if (texts === undefined) throw new TypeError(`${name} must be known here`);
  return texts;
}

/**
 * Keeps what is written where the service's spelling means the same, so that a difference in letter case is no change.
 *
 * @param fold brings what means the same to one text
 */
export function keepSpelling(written: Value | undefined, current: string, fold: (text: string) => string): string {
  return typeof written === 'string' && fold(written) === fold(current) ? written : current;
}

export function isKnown(object: ObjectValue, ...names: readonly string[]): boolean {
  return names.every((name) => !isUnknown(object[name]));
}
