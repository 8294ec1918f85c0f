/** The texts that specs are made of. Lengths count Unicode code points, as JSON Schema and Kubernetes do. */

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
  /** What to write where nothing is written. Default: a value, or not the field. */
  readonly emptyRemedy?: string;
}

/** One line of text, without control characters: references, paths, reasons. */
export function line(rules: TextRules, check: (value: string) => Fault | undefined = () => undefined) {
  return text(rules, (value) => controlFault(value) ?? check(value)).meta({
    ...bounds(rules),
    pattern: String.raw`^\P{Cc}*$`,
  });
}

/** What something is called in the workspace: a line that can be told from every other by looking at it. */
export function name(rules: TextRules) {
  return line(rules, (value) => outerSpaceFault(value) ?? lookFault(value)).meta({
    ...bounds(rules),
    // Without looking back, which the patterns of Kubernetes cannot do.
    pattern: String.raw`^[^\s\p{Cc}](\P{Cc}*[^\s\p{Cc}])?$`,
  });
}

/** Text of several lines: descriptions and SQL. */
export function prose(rules: TextRules) {
  return text(rules, () => undefined).meta(bounds(rules));
}

/** One line of text of a given form. `remedy` says what to write instead. */
export function pattern(rules: TextRules & { pattern: RegExp; message: string; remedy: string }) {
  return text(rules, (value) => (rules.pattern.test(value) ? undefined : patternFault(value, rules))).meta({
    ...bounds(rules),
    pattern: rules.pattern.source,
  });
}

function bounds({ description, min = 1, max = 255 }: TextRules) {
  return { description, minLength: min, maxLength: max };
}

/** What is wrong with a text: the first thing that is, as the others may only follow from it. */
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

/** The workspace takes a name with a blank at its end for another one, and nobody sees the difference. */
function outerSpaceFault(value: string): Fault | undefined {
  if (value === value.trim()) return undefined;
  const where = value === value.trimStart() ? 'ends' : value === value.trimEnd() ? 'begins' : 'begins and ends';
  return { message: `${where} with white space`, remedy: 'Remove the white space there.' };
}

/** Two names that look the same would be taken for one in a review. The service refuses them too. */
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
  // Code points are never more than code units, so only long texts have to be counted.
  const length = value.length <= max ? value.length : codePoints(value);
  if (length <= max) return undefined;
  const most = grouped(max);
  return {
    message: `has ${grouped(length)} characters, but ${most} are the most`,
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

/** A whole number with its thousands parted: `200,000`. `toLocaleString` would load all of ICU, which costs 100 ms. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
