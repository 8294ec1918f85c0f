/** The text fields of specs. Lengths count Unicode code points, as JSON Schema and Kubernetes do. */

import { brokenRule, nameRules } from '@rolecall/api';
import { z } from 'zod';
import { complain } from '../issue.ts';
import type { ProblemCode } from '../load/problem-codes.ts';

interface TextRules {
  readonly description: string;
  /** Default 1. */
  readonly min?: number;
  /** Default 255. */
  readonly max?: number;
  /** The remedy for an empty text. */
  readonly emptyRemedy?: string;
}

/** One line of text, without control characters: references, paths, reasons. */
export function line(rules: TextRules, check: (value: string) => Fault | undefined = () => undefined) {
  return text(rules, (value) => controlFault(value) ?? check(value)).meta({
    ...bounds(rules),
    pattern: String.raw`^\P{Cc}*$`,
  });
}

/** A name's ends are no blanks; a Kubernetes API server takes only those of ASCII for \s. */
export const namePattern = String.raw`^[^\s\p{Z}\p{Cc}](\P{Cc}*[^\s\p{Z}\p{Cc}])?$`;

/** A name in the workspace: a line that looks different from every other name. */
export function name(rules: TextRules) {
  return line(rules, (value) => outerSpaceFault(value) ?? lookFault(value)).meta({
    ...bounds(rules),
    // Without lookbehind, which Kubernetes' patterns do not support.
    pattern: namePattern,
  });
}

/** Text of several lines: descriptions and SQL. */
export function prose(rules: TextRules) {
  return text(rules, () => undefined).meta({ ...bounds(rules), pattern: String.raw`^[^\x00]*$` });
}

/** One line of text that matches a pattern. `remedy` says what to write instead. */
export function pattern(rules: TextRules & { pattern: RegExp; message: string; remedy: string }) {
  return text(rules, (value) => (rules.pattern.test(value) ? undefined : patternFault(value, rules))).meta({
    ...bounds(rules),
    pattern: rules.pattern.source,
  });
}

function bounds({ description, min = 1, max = 255 }: TextRules) {
  return { description, minLength: min, maxLength: max };
}

/** The first fault of a text; later ones may only follow from it. */
export interface Fault {
  readonly code?: ProblemCode;
  readonly message: string;
  readonly remedy: string;
}

function text(rules: TextRules, check: (value: string) => Fault | undefined) {
  return z.string().check((payload) => {
    const fault = lengthFault(payload.value, rules) ?? unicodeFault(payload.value) ?? check(payload.value);
    if (fault === undefined) return;
    const { code = 'field_value', message, remedy } = fault;
    complain(payload, { code, message, remedy });
  });
}

function controlFault(value: string): Fault | undefined {
  if (!/\p{Cc}/u.test(value)) return undefined;
  return {
    message: 'must not contain control characters',
    remedy: 'Write it in one line, without tabs or line breaks.',
  };
}

/** To the workspace, a name with a trailing space is a different name, but people cannot see the difference. */
export function outerSpaceFault(value: string): Fault | undefined {
  if (value === value.trim()) return undefined;
  const where = value === value.trimStart() ? 'ends' : value === value.trimEnd() ? 'begins' : 'begins and ends';
  return { message: `${where} with white space`, remedy: 'Remove that white space.' };
}

/** A reviewer would mistake two names that look the same for one. The service refuses them too. */
function lookFault(value: string): Fault | undefined {
  const message = brokenRule(nameRules, value);
  return message === undefined ? undefined : { message, remedy: 'Type it again by hand.' };
}

function patternFault(value: string, rules: Fault & { readonly pattern: RegExp }): Fault {
  const fault = rules.pattern.test(value.trim()) ? outerSpaceFault(value) : undefined;
  return fault ?? rules;
}

function lengthFault(value: string, { min = 1, max = 255, emptyRemedy }: TextRules): Fault | undefined {
  if (value.length < min) return { message: 'is empty', remedy: emptyRemedy ?? 'Write a value, or remove the field.' };
  // There are never more code points than code units, so only long texts need counting.
  const length = value.length <= max ? value.length : codePoints(value);
  if (length <= max) return undefined;
  const most = grouped(max);
  return {
    message: `has ${grouped(length)} characters, but may have at most ${most}`,
    remedy: `Shorten it to ${most} characters.`,
  };
}

function unicodeFault(value: string): Fault | undefined {
  if (value.includes('\0')) return { message: 'contains a NUL character', remedy: 'Remove the character \\0.' };
  if (value.isWellFormed()) return undefined;
  return {
    message: 'contains half of a surrogate pair',
    remedy: 'Write the whole character, or remove the escape \\uD800 to \\uDFFF.',
  };
}

function codePoints(value: string): number {
  let count = 0;
  for (const _point of value) count += 1;
  return count;
}

/** A whole number with thousands separators: `200,000`. `toLocaleString` would load all of ICU, which is slow. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
