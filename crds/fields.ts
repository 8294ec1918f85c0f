/** The texts that specs are made of. Lengths count Unicode code points, as JSON Schema and Kubernetes do. */

import { z } from 'zod';
import { complain } from './issue.ts';

interface TextRules {
  readonly description: string;
  /** Default 1. */
  readonly min?: number;
  /** Default 255. */
  readonly max?: number;
}

/** One line of text, without control characters: names, aliases, references. */
export function line(rules: TextRules) {
  return text(rules, (value) =>
    /\p{Cc}/u.test(value)
      ? { message: 'must not contain control characters', remedy: 'Write it in one line, without tabs or line breaks.' }
      : undefined,
  ).meta({ ...bounds(rules), pattern: String.raw`^\P{Cc}*$` });
}

/** Text of several lines: descriptions and SQL. */
export function prose(rules: TextRules) {
  return text(rules, () => undefined).meta(bounds(rules));
}

/** One line of text of a given form. `remedy` says what to write instead. */
export function pattern(rules: TextRules & { pattern: RegExp; message: string; remedy: string }) {
  return text(rules, (value) => (rules.pattern.test(value) ? undefined : rules)).meta({
    ...bounds(rules),
    pattern: rules.pattern.source,
  });
}

function bounds({ description, min = 1, max = 255 }: TextRules) {
  return { description, minLength: min, maxLength: max };
}

interface Fault {
  readonly message: string;
  readonly remedy: string;
}

function text({ min = 1, max = 255 }: TextRules, check: (value: string) => Fault | undefined) {
  return z.string().check((payload) => {
    const fault = lengthFault(payload.value, min, max) ?? unicodeFault(payload.value) ?? check(payload.value);
    if (fault !== undefined) complain(payload, { message: fault.message, remedy: fault.remedy });
  });
}

function lengthFault(value: string, min: number, max: number): Fault | undefined {
  if (value.length < min) return { message: 'is empty', remedy: 'Write a value, or remove the field.' };
  // Code points are never more than code units, so only long texts have to be counted.
  const length = value.length <= max ? value.length : codePoints(value);
  if (length <= max) return undefined;
  const most = max.toLocaleString('en-US');
  return {
    message: `has ${length.toLocaleString('en-US')} characters, but ${most} are the most`,
    remedy: `Shorten it to ${most} characters.`,
  };
}

function unicodeFault(value: string): Fault | undefined {
  if (value.includes('\0')) return { message: 'contains a NUL character', remedy: 'Remove the character \\0.' };
  if (value.isWellFormed()) return undefined;
  return {
    message: 'contains half of a surrogate pair, which is no character',
    remedy: 'Write the whole character, or remove the escape \\uD800 to \\uDFFF.',
  };
}

function codePoints(value: string): number {
  let count = 0;
  for (const _point of value) count += 1;
  return count;
}
