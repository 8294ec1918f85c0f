import { DurationError, isTooLong, parseDuration, parseTimestamp, TimestampError } from '@rolecall/crds';
import { isWindowOf } from '@rolecall/reconcile';
import { type Diagnostic, DiagnosticError, failure, type Report } from '../../plugin/framework/diagnostics.ts';
import { type Attribute, type Fault, optional } from '../../plugin/framework/schema.ts';
import { isUnknown, type ObjectValue, unknown, type Value } from '../../plugin/values/value.ts';
import { needText, textOf } from './values.ts';

/** A declared window: normalised or not, each part undefined where it is not given or not known. */
export interface WindowWish {
  readonly startsAt: string | undefined;
  readonly expiresAt: string | undefined;
  readonly duration: string | undefined;
}

/** The attributes of a window. */
export function windowAttributes(startsAt: string, expiresAt: string): Readonly<Record<string, Attribute>> {
  return {
    starts_at: { type: 'string', presence: 'optional-computed', description: startsAt, check: checkTimestamp },
    expires_at: { type: 'string', presence: 'optional-computed', description: expiresAt, check: checkTimestamp },
    duration: optional(
      'string',
      'How long access lasts, such as `8h`, `1h30m`, `7d` or whole seconds, counted from `starts_at`: by default from the first grant, also when it is granted again because it was revoked in the workspace. Either this or `expires_at`.',
      checkDuration,
    ),
  };
}

const checkTimestamp = checkBy(parseTimestamp);
const checkDuration = checkBy(parseDuration);

/** A check that a text can be read. */
function checkBy(read: (text: string) => unknown): (value: Value) => Fault | undefined {
  return (value) => {
    if (typeof value !== 'string') return undefined;
    try {
      read(value);
      return undefined;
    } catch (error) {
      if (!(error instanceof TimestampError || error instanceof DurationError)) throw error;
      return { message: error.message, remedy: error.remedy };
    }
  };
}

/** Checks that access ends, and what `validateTimes` checks. */
export function validateWindow(config: ObjectValue, report: Report): void {
  const { expires_at: expiresAt = null, duration = null } = config;
  if (expiresAt === null && duration === null) {
    report(
      failure('When does access end?', 'Give expires_at, such as 2026-12-01T17:00:00Z, or duration, such as 8h.', [
        'expires_at',
      ]),
    );
  }
  validateTimes(config, report);
}

/** Checks of the attributes of a window what none of them alone can tell. */
export function validateTimes(config: ObjectValue, report: Report): void {
  const { expires_at: expiresAt = null, duration = null } = config;
  // A value that is not known yet may turn out to be null.
  if (expiresAt !== null && duration !== null && !isUnknown(expiresAt) && !isUnknown(duration)) {
    report(failure('Two ends', 'Give expires_at or duration, not both.', ['duration']));
  }
  const [start, end] = [textOf(config, 'starts_at'), textOf(config, 'expires_at')];
  if (start === undefined || checkTimestamp(start) !== undefined) return;
  if (typeof duration === 'string' && checkDuration(duration) === undefined && endsTooLate(start, duration)) {
    report(failure('The window ends after the year 9999', 'Write a shorter duration.', ['duration']));
  }
  if (end === undefined || checkTimestamp(end) !== undefined) return;
  const ms = Date.parse(parseTimestamp(end)) - Date.parse(parseTimestamp(start));
  if (ms <= 0) {
    report(
      failure('The window ends before it begins', `expires_at ${end} is not after starts_at ${start}.`, ['expires_at']),
    );
  } else if (ms % 1000 !== 0) {
    report(
      failure(
        'The window is not whole seconds long',
        'The workspace counts whole seconds. Write starts_at and expires_at with the same milliseconds, or with none.',
        ['expires_at'],
      ),
    );
  } else if (isTooLong(start, end)) {
    report(tooLong(end, start));
  }
}

const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

function endsTooLate(start: string, duration: string): boolean {
  return Date.parse(parseTimestamp(start)) + parseDuration(duration) * 1000 > lastTime;
}

function tooLong(end: string, start: string): Diagnostic {
  return failure(
    'The window is too long',
    `expires_at ${end} is more than 36500 days after ${start}, and the workspace grants nothing for longer. Write an earlier end.`,
    ['expires_at'],
  );
}

/**
 * Refuses a permission that lasts longer than the workspace grants: without a start, from now on.
 *
 * @throws DiagnosticError
 */
export function refuseTooLong(planned: ObjectValue, now: Date): void {
  const end = textOf(planned, 'expires_at');
  if (end === undefined) return;
  const start = textOf(planned, 'starts_at') ?? now.toISOString();
  if (isTooLong(start, end)) throw new DiagnosticError(tooLong(end, start));
}

/**
 * Plans a window as far as it is known.
 *
 * @param planned the configuration; what it leaves out is unknown on create, and as it was on update
 * @param prior spells what stays the same
 */
export function windowOf(planned: ObjectValue, prior: ObjectValue | undefined): Record<string, Value> {
  const window: Record<string, Value> = {
    starts_at: spelling(planned['starts_at'] ?? unknown, prior?.['starts_at']),
    duration: sameDuration(planned['duration'] ?? null, prior?.['duration']),
  };
  const duration = planned['duration'] ?? null;
  if (duration === null) {
    window['expires_at'] = spelling(planned['expires_at'] ?? unknown, prior?.['expires_at']);
    if (prior !== undefined) window['starts_at'] = startForEnd(window, prior);
  } else {
    const start = textOf(window, 'starts_at');
    window['expires_at'] =
      start === undefined || typeof duration !== 'string'
        ? unknown
        : spelling(plus(parseTimestamp(start), parseDuration(duration)), prior?.['expires_at']);
  }
  return window;
}

/**
 * The start of a window that gets another end. One that the workspace gave has milliseconds, and the workspace takes windows of
 * whole seconds only: it moves back by less than a second, so that no access is interrupted. Where both are written, `validateTimes`
 * has checked them.
 */
function startForEnd(window: ObjectValue, prior: ObjectValue): Value {
  const [start, end] = [textOf(window, 'starts_at'), textOf(window, 'expires_at')];
  if (start === undefined || end === undefined || end === prior['expires_at']) return window['starts_at'] ?? unknown;
  const excess = (Date.parse(parseTimestamp(end)) - Date.parse(parseTimestamp(start))) % 1000;
  return excess === 0 ? start : new Date(Date.parse(start) + excess - 1000).toISOString();
}

/** The text in the state where it names the same instant, so that a change of spelling is none. */
export function spelling(value: Value, prior: Value | undefined): Value {
  if (typeof value !== 'string' || typeof prior !== 'string') return value;
  return Date.parse(value) === Date.parse(prior) ? prior : value;
}

function sameDuration(value: Value, prior: Value | undefined): Value {
  if (typeof value !== 'string' || typeof prior !== 'string') return value;
  return parseDuration(value) === parseDuration(prior) ? prior : value;
}

/** As it is written where that names the same instant. */
export function asWritten(written: Value | undefined, current: string): string {
  return typeof written === 'string' && Date.parse(written) === Date.parse(current) ? written : current;
}

function plus(start: string, seconds: number): string {
  return new Date(Date.parse(start) + seconds * 1000).toISOString();
}

/** True if the times of a state can be read. Those that Terraform makes up, for a resource of `terraform test` that is mocked, cannot. */
export function hasReadableTimes(state: ObjectValue): boolean {
  return ['starts_at', 'expires_at'].every((name) => checkTimestamp(state[name] ?? null) === undefined);
}

export function isOver(expiresAt: string | undefined, now: Date): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();
}

/**
 * True if a permission has the declared window. Where only a duration is declared, one of that length that has begun
 * and is not over: a run that was killed may have granted it.
 */
export function isWindow(
  window: { readonly startsAt: string; readonly expiresAt: string },
  { startsAt, expiresAt, duration }: WindowWish,
  now: Date,
): boolean {
  const start = startsAt === undefined ? {} : { startsAt: parseTimestamp(startsAt) };
  if (expiresAt !== undefined) return isWindowOf(window, { ...start, expiresAt: parseTimestamp(expiresAt) }, now);
  if (startsAt !== undefined || duration === undefined) return false;
  const length = Date.parse(window.expiresAt) - Date.parse(window.startsAt);
  return (
    length === parseDuration(duration) * 1000 &&
    Date.parse(window.startsAt) <= now.getTime() + 1000 &&
    !isOver(window.expiresAt, now)
  );
}

/** The window to grant; without a start it begins when it is granted. */
export function windowToGrant(planned: ObjectValue, now: Date): { startsAt?: string; expiresAt: string } {
  const duration = textOf(planned, 'duration');
  const given = textOf(planned, 'starts_at');
  const startsAt = given === undefined ? undefined : parseTimestamp(given);
  if (duration !== undefined) {
    const start = startsAt ?? now.toISOString();
    return { startsAt: start, expiresAt: plus(start, parseDuration(duration)) };
  }
  const expiresAt = parseTimestamp(needText(planned, 'expires_at'));
  return startsAt === undefined ? { expiresAt } : { startsAt, expiresAt };
}
