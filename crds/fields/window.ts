/** The time in which something holds, as several kinds declare it: from a start to an end, or for a length. */

import { maxDurationSeconds } from '@rolecall/api';
import type { z } from 'zod';
import { complain } from '../issue.ts';
import type { Validation } from '../kinds/kind.ts';
import { isTooLong } from './duration.ts';
import { crossCheck } from './exactly-one.ts';
import { duration, timestamp } from './time-fields.ts';
import { celTimestamp } from './timestamp.ts';

/** The fields of a window. @param start when it begins where startsAt is absent */
export const windowFields = (start: string) => ({
  startsAt: timestamp(`When access begins. Default: ${start}.`).exactOptional(),
  expiresAt: timestamp('When access ends.').exactOptional(),
  duration: duration(
    'How long access lasts, instead of expiresAt: 8h, 90m, 1h30m, 7d, 2w or whole seconds.',
  ).exactOptional(),
});

export interface WrittenWindow {
  startsAt?: string;
  expiresAt?: string;
  /** In seconds. */
  duration?: number;
}

/** The normal form: the end is `expiresAt`, or `durationSeconds` if the window has no start. */
export type WithWindow<Written extends WrittenWindow> = Omit<Written, 'duration'> & { durationSeconds?: number };

/**
 * True if the window has a length and no start. Its times then depend on when it is first granted, which the operator
 * and Terraform remember and the command line cannot.
 */
export function needsAnchor({ durationSeconds }: { readonly durationSeconds?: number }): boolean {
  return durationSeconds !== undefined;
}

/** Requires that a window ends after it begins. */
export function windowed<S extends z.ZodObject>(schema: S): S {
  return crossCheck(schema, (payload) => {
    const complaint = windowComplaint(payload.value);
    if (complaint !== undefined) complain(payload, { code: 'window_invalid', ...complaint });
  });
}

/** The latest time that a timestamp can express. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

function windowComplaint({ startsAt, expiresAt, duration: seconds }: Record<string, unknown>) {
  // A malformed time was already reported, and is no longer text here.
  if (typeof startsAt !== 'string') return undefined;
  const start = Date.parse(startsAt);
  if (typeof seconds === 'number' && start + seconds * 1000 > lastTime) {
    return { path: ['duration'], message: 'ends after the year 9999', remedy: 'Write a shorter duration.' };
  }
  if (typeof expiresAt !== 'string') return undefined;
  const length = Date.parse(expiresAt) - start;
  const path = ['expiresAt'];
  if (length <= 0) {
    return { path, message: 'is not after startsAt', remedy: `Write a time after ${startsAt}.` };
  }
  if (length % 1000 !== 0) {
    const remedy = 'Give both the same fraction of a second, or none.';
    return { path, message: 'is not a whole number of seconds after startsAt', remedy };
  }
  if (!isTooLong(startsAt, expiresAt)) return undefined;
  return { path, message: 'is more than 3,153,600,000 seconds after startsAt', remedy: 'Write an earlier time.' };
}

/** Brings a window into its normal form. */
export function normaliseWindow<Written extends WrittenWindow>(written: Written): WithWindow<Written> {
  const { duration: seconds, ...spec } = written;
  if (seconds === undefined) return spec;
  if (spec.startsAt === undefined) return { ...spec, durationSeconds: seconds };
  return { ...spec, expiresAt: new Date(Date.parse(spec.startsAt) + seconds * 1000).toISOString() };
}

const noWindow = '!has(self.startsAt) || !has(self.expiresAt)';
const start = celTimestamp('startsAt');
const end = celTimestamp('expiresAt');

/** The seconds of a duration with units, in CEL. */
const seconds = Object.entries({ w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 })
  .map(([unit, size]) => `int("0" + self.duration.find("[0-9]+${unit}").replace("${unit}", "")) * ${size}`)
  .join(' + ');
const total = `(self.duration.matches("^[0-9]+$") ? int(self.duration) : ${seconds})`;

/** The same rules for a Kubernetes API server. */
export const windowValidations: readonly Validation[] = [
  {
    rule: `!has(self.duration) || type(self.duration) == int || ${total} >= 1 && ${total} <= ${maxDurationSeconds}`,
    message: 'duration must be from 1 to 3,153,600,000 seconds',
    fieldPath: '.duration',
  },
  ...(['startsAt', 'expiresAt'] as const).map((field) => ({
    rule: `!has(self.${field}) || ${celTimestamp(field)}.getFullYear() > 0`,
    message: `${field} must be a time that exists`,
    fieldPath: `.${field}`,
  })),
  {
    rule: `${noWindow} || ${end} > ${start}`,
    message: 'expiresAt must be after startsAt',
    fieldPath: '.expiresAt',
  },
  {
    rule: `${noWindow} || (${end} - ${start}).getMilliseconds() % 1000 == 0`,
    message: 'expiresAt must be a whole number of seconds after startsAt',
    fieldPath: '.expiresAt',
  },
  {
    rule: `${noWindow} || ${end} - ${start} <= duration("${maxDurationSeconds}s")`,
    message: 'expiresAt must be at most 3,153,600,000 seconds after startsAt',
    fieldPath: '.expiresAt',
  },
];
