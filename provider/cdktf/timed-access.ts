import { DurationError, parseDuration, parseTimestamp, TimestampError } from '@rolecall/crds';
import { type TerraformProvider, Token } from 'cdktf';
import { Construct } from 'constructs';
import { Permission } from './bindings/index.ts';
import { PropertyError } from './errors.ts';
import { idOf, type Reference } from './lookup.ts';

export interface TimedAccessProps {
  /** The person who gets access: a Person, the result of a lookup, or a username. */
  readonly person: Reference;
  /** The data source to reach: a DataSource, the result of a lookup, or an alias. */
  readonly dataSource: Reference;
  /** The start of access (RFC 3339). Default: the time of the first grant, which Terraform keeps. */
  readonly startsAt?: string;
  /** The end of access (RFC 3339). Either this or `duration`. */
  readonly expiresAt?: string;
  /** The duration of access, such as `8h`, `1h30m` or `7d`, from `startsAt` on. Either this or `expiresAt`. */
  readonly duration?: string;
  /** Default: the provider without alias. */
  readonly provider?: TerraformProvider;
}

/** Access of a person to a data source for a time. Once over it makes no plan any more. */
export class TimedAccess extends Construct {
  readonly permission: Permission;

  /** @throws PropertyError where the window, as far as it is known, is none */
  constructor(scope: Construct, id: string, props: TimedAccessProps) {
    super(scope, id);
    checkWindow(this, props);
    const { person, dataSource, startsAt, expiresAt, duration, provider } = props;
    const lookups = { scope: this, provider };
    this.permission = new Permission(this, 'permission', {
      personId: idOf(lookups, 'person', 'person', person),
      dataSourceId: idOf(lookups, 'data_source', 'dataSource', dataSource),
      startsAt,
      expiresAt,
      duration,
      provider,
    });
  }
}

/** Reports errors at synthesis that the provider would report at plan. Tokens are not checked. */
function checkWindow(construct: TimedAccess, { startsAt, expiresAt, duration }: TimedAccessProps): void {
  if ((expiresAt === undefined) === (duration === undefined)) {
    const message = expiresAt === undefined ? 'and duration are both missing' : 'and duration exclude each other';
    throw new PropertyError(construct, 'expiresAt', message, "Pass exactly one of them, such as duration: '8h'.");
  }
  check(construct, 'startsAt', startsAt, parseTimestamp);
  check(construct, 'expiresAt', expiresAt, parseTimestamp);
  check(construct, 'duration', duration, parseDuration);
  if (!isPlain(startsAt) || !isPlain(expiresAt) || Date.parse(startsAt) < Date.parse(expiresAt)) return;
  throw new PropertyError(construct, 'expiresAt', 'is not after startsAt', `Pass a time after ${startsAt}.`);
}

function check(
  construct: TimedAccess,
  property: string,
  value: string | undefined,
  parse: (text: string) => unknown,
): void {
  if (!isPlain(value)) return;
  try {
    parse(value);
  } catch (error) {
    if (!(error instanceof TimestampError || error instanceof DurationError)) throw error;
    throw new PropertyError(construct, property, error.message, error.remedy);
  }
}

function isPlain(value: string | undefined): value is string {
  return value !== undefined && !Token.isUnresolved(value);
}
