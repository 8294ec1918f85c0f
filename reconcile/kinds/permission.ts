import type { Permission } from '@rolecall/api';
import { isTooLong } from '@rolecall/crds';
import { type DesiredPermission, label, named } from '../model/desired.ts';
import { dataSourceKey, pairKey, personKey } from '../model/keys.ts';
import { type Diff, emptyDiff, makeStep, missing, type Reference, type Refusal, type Step } from '../model/step.ts';
import { isOver, isWindowOf, shortTime } from '../model/window.ts';
import type { Kind, Observation } from './kind.ts';
import type { Located, Scope } from './scope.ts';

export interface ObservedPermission extends Observation {
  person: Located;
  dataSource: Located;
  /** The one with the declared window; of several, which give the same access, the oldest. */
  granted: Permission | undefined;
  /** The one that the front end remembers, when its window is another one. */
  superseded: CurrentPermission | undefined;
  /** True if the window of that one can be moved: it is of the same person and data source, and the service edits. */
  isMovable: boolean;
  /** Refuses the id of a permission of another person or data source. */
  misnamed?: Refusal | undefined;
  /** Refuses a window that is over and that nothing was granted for, as far as the front end remembers. */
  past?: Refusal;
  now: Date;
}

/** A grant for a time. Where the service cannot move its window, a changed one is a new grant first, then the old one deleted. */
export const permissionKind: Kind<DesiredPermission, ObservedPermission> = {
  key: ({ person, dataSource, startsAt, expiresAt }) =>
    JSON.stringify([personKey(person), dataSourceKey(dataSource), startsAt ?? null, expiresAt]),

  references: ({ person, dataSource }) => [
    { kind: 'Person', name: person },
    { kind: 'DataSource', name: dataSource },
  ],

  async observe(desired, scope) {
    const permissions = await scope.view.permissions();
    const person = await scope.locate(desired, 'Person', desired.person);
    const dataSource = await scope.locate(desired, 'DataSource', desired.dataSource);
    const pair = pairOf(person, dataSource);
    const ofPair = permissions.byKey.get(pair ?? '') ?? [];
    const matching = ofPair.filter((permission) => hasWindow(permission, desired, scope));
    const [granted] = matching.sort(oldestFirst);
    const numbered = desired.id === undefined ? undefined : permissions.byId.get(desired.id);
    const isMisnamed = numbered !== undefined && isAnothers(numbered, desired, pair);
    const remembered = isMisnamed ? undefined : numbered;
    const isOther = remembered !== undefined && !matching.includes(remembered);
    const superseded = isOther && !(await isOfAnother(remembered, desired, scope)) ? remembered : undefined;
    const grants = [granted, superseded].flatMap((permission) => permission ?? []);
    // Held back, its new window will not be granted now: an exact collection must not take the old one away meanwhile.
    const mayHaveAnother =
      grants.length === 0 && (desired.paused || desired.observeOnly) && !isNothing(desired, scope.now);
    const meant = mayHaveAnother ? ofPair.filter(({ id }) => !scope.isAbsent('Permission', id)) : grants;
    const claims = meant.map(({ id }) => id);
    const misnamed = isMisnamed ? misnames(desired, numbered) : undefined;
    const isMovable = superseded !== undefined && ofPair.includes(superseded) && scope.view.edits();
    const observed = { person, dataSource, granted, superseded, isMovable, misnamed, now: scope.now, claims };
    if (granted !== undefined || desired.ended || !isOver(desired, scope.now)) return observed;
    // An id may be of the workspace before this one: what another pair has there is not ended for a window that is over.
    const isOwn = superseded === undefined || ofPair.includes(superseded);
    if (desired.id !== undefined && isOwn) return observed;
    return {
      ...observed,
      superseded: undefined,
      past: windowPast(desired, leftRunning(ofPair, desired, scope)),
    };
  },

  diff(desired, { person, dataSource, granted, superseded, isMovable, misnamed, past, now }) {
    const diff = emptyDiff();
    if ('missing' in person) diff.refusals.push(person.missing);
    if ('missing' in dataSource) diff.refusals.push(dataSource.missing);
    if ('missing' in person || 'missing' in dataSource) return diff;
    if (misnamed !== undefined) return { ...diff, refusals: [misnamed] };
    if (past !== undefined) diff.refusals.push(past);
    const isGranting = granted === undefined && !isOver(desired, now);
    if (isGranting && isMovable && superseded !== undefined) return move(desired, superseded, diff);
    if (isGranting) {
      const startsAt = desired.startsAt ?? alignedStart(now, desired.expiresAt);
      // The step never runs, and says what waits for it: without the new window, the old one stays.
      if (isTooLong(startsAt, desired.expiresAt)) diff.refusals.push(windowTooLong(desired, startsAt));
      diff.steps.push(create(desired, person.id, dataSource.id, startsAt));
    }
    if (superseded !== undefined) {
      diff.steps.push(
        removePermission(
          superseded,
          named(desired),
          'the window changed',
          diff.steps.map(({ id }) => id),
        ),
      );
    }
    return diff;
  },
};

/** The grant as the call that ends it names it. */
export interface CurrentPermission extends Pick<Permission, 'id' | 'startsAt' | 'expiresAt'> {
  person: { username: string };
  dataSource: { name: string; alias: string | null };
}

/** The call that moves the window of a grant: whoever works by it goes on, and who asked for it keeps its id. */
function move(desired: DesiredPermission, current: CurrentPermission, diff: Diff): Diff {
  // Without a declared start it stays where it was, by up to a second earlier.
  const startsAt = desired.startsAt ?? alignedStart(new Date(current.startsAt), desired.expiresAt);
  const to = { startsAt, expiresAt: desired.expiresAt };
  const fields = (['startsAt', 'expiresAt'] as const).filter((field) => to[field] !== current[field]);
  const step = makeStep('updatePermission', [current.id], named(desired), {
    params: { permission: current.id },
    body: Object.fromEntries(fields.map((field) => [field, to[field]])),
    summary: `let ${desired.person} have ${desired.dataSource} from ${shortTime(startsAt)} to ${shortTime(desired.expiresAt)}`,
    reason: desired.reason ?? 'the window changed',
    effect: 'change',
    changes: fields.map((field) => ({ field, from: current[field], to: to[field] })),
  });
  if (isTooLong(startsAt, desired.expiresAt)) diff.refusals.push(windowTooLong(desired, startsAt));
  diff.steps.push(step);
  return diff;
}

/** The call that ends a grant. */
export function removePermission(
  permission: CurrentPermission,
  object: Step['object'],
  reason: string,
  after: string[],
): Step {
  const { person, dataSource } = permission;
  return makeStep('deletePermission', [permission.id], object, {
    params: { permission: permission.id },
    summary: `end the permission of ${person.username} on ${dataSource.alias ?? dataSource.name}, ${windowText(permission)}`,
    reason,
    effect: 'revoke',
    after,
  });
}

/**
 * The start that is sent when none is declared: the last instant not after now that lies whole seconds before the end.
 * The service counts whole seconds from the start it is given, so only then is the end that is stored the declared one.
 */
export function alignedStart(now: Date, expiresAt: string): string {
  const end = Date.parse(expiresAt);
  return new Date(end - Math.ceil((end - now.getTime()) / 1000) * 1000).toISOString();
}

/**
 * True if the id in a definition is that of a permission of another person or data source. Stores of the specification number their
 * permissions from 1, so that the id of one workspace is a stranger's in the next.
 */
export function isAnothers(
  { person, dataSource }: Permission,
  { isIdWritten }: DesiredPermission,
  pair: string | undefined,
): boolean {
  return isIdWritten === true && pairKey(person.id, dataSource.id) !== pair;
}

function misnames(desired: DesiredPermission, { id, person, dataSource }: Permission): Refusal {
  return {
    rail: 'ambiguous',
    objects: [label(desired)],
    message: `${label(desired)} gives ${desired.person} ${desired.dataSource}, and the permission with its id ${id} is of ${person.username} on ${dataSource.alias ?? dataSource.name}`,
    remedy: 'take the annotation rolecall.dev/id away, or correct it: each workspace has ids of its own',
  };
}

function pairOf(person: Located, dataSource: Located): string | undefined {
  if ('missing' in person || 'missing' in dataSource) return undefined;
  if (typeof person.id !== 'string' || typeof dataSource.id !== 'string') return undefined;
  return pairKey(person.id, dataSource.id);
}

/** Without a declared start, any grant that has begun, ends at the declared moment and is not another definition's. */
function hasWindow(permission: Permission, desired: DesiredPermission, scope: Scope): boolean {
  if (!isWindowOf(permission, desired, scope.now)) return false;
  return desired.startsAt !== undefined || !scope.isWindowDeclared(desired, permission.startsAt);
}

/** True if another definition declares the very same grant: what both an old and a new declaration give is not interrupted. */
async function isOfAnother(permission: Permission, desired: DesiredPermission, scope: Scope): Promise<boolean> {
  for (const other of scope.endingAt(permission.person.username, permission.expiresAt)) {
    if (other === desired || !hasWindow(permission, other, scope)) continue;
    // Its person may be another one, who takes the name.
    const person = await scope.locate(other, 'Person', other.person);
    const dataSource = await scope.locate(other, 'DataSource', other.dataSource);
    if (pairOf(person, dataSource) === pairKey(permission.person.id, permission.dataSource.id)) return true;
  }
  return false;
}

/**
 * Orders grants by their ids, which are numbers that grow: the one of several in a window that is adopted must not change from run to run.
 */
function oldestFirst(a: Permission, b: Permission): number {
  return a.startsAt === b.startsAt ? Number(a.id) - Number(b.id) : Date.parse(a.startsAt) - Date.parse(b.startsAt);
}

function windowText({ startsAt, expiresAt }: CurrentPermission): string {
  return `${shortTime(startsAt)} to ${shortTime(expiresAt)}`;
}

function create(
  desired: DesiredPermission,
  person: string | Reference,
  dataSource: string | Reference,
  startsAt: string,
): Step {
  return makeStep('createPermission', [permissionKind.key(desired)], named(desired), {
    params: { dataSource, person },
    body: { duration: (Date.parse(desired.expiresAt) - Date.parse(startsAt)) / 1000, startsAt },
    summary: `grant ${desired.person} ${desired.dataSource} from ${desired.startsAt === undefined ? 'now' : shortTime(desired.startsAt)} to ${shortTime(desired.expiresAt)}`,
    reason: desired.reason ?? missing,
    effect: 'grant',
  });
}

/** Held back since its window is over and it was never granted: then it keeps nothing of the pair that others granted. */
function isNothing(desired: DesiredPermission, now: Date): boolean {
  return desired.waits === true && isOver(desired, now);
}

/**
 * A grant of the same pair that is not over and that a definition whose end was moved into the past may have made: it begins
 * as that is declared to, and no other definition means it. A front end that remembers no ids can only name it.
 *
 * @param ofPair the permissions of the person and the data source
 */
function leftRunning(
  ofPair: readonly Permission[],
  desired: DesiredPermission,
  { endingAt, now }: Pick<Scope, 'endingAt' | 'now'>,
): Permission | undefined {
  const dataSource = dataSourceKey(desired.dataSource);
  return ofPair.find(
    (permission) =>
      !isOver(permission, now) &&
      isWindowOf(permission, { ...desired, expiresAt: permission.expiresAt }, now) &&
      !endingAt(desired.person, permission.expiresAt).some(
        (other) => dataSourceKey(other.dataSource) === dataSource && isWindowOf(permission, other, now),
      ),
  );
}

function windowTooLong(desired: DesiredPermission, startsAt: string): Refusal {
  return {
    rail: 'window-too-long',
    objects: [label(desired)],
    message: `${label(desired)} has the expiresAt ${desired.expiresAt}, more than 36,500 days after it begins at ${startsAt}, and the service grants nothing for longer`,
    remedy: 'write an earlier expiresAt',
  };
}

/** Refuses a window that is over and was never granted, and names the grant that its definition may have made before. */
function windowPast(desired: DesiredPermission, running: Permission | undefined): Refusal {
  const { person, dataSource, expiresAt } = desired;
  const message = `${label(desired)} ended at ${expiresAt} and was never granted in this workspace`;
  const remedy =
    'correct the window, remove the definition, or keep it for the record with the annotation rolecall.dev/ended: "true"';
  const refusal = { rail: 'window-past' as const, objects: [label(desired)] };
  if (running === undefined) return { ...refusal, message, remedy };
  const window = `${shortTime(running.startsAt)} to ${shortTime(running.expiresAt)}`;
  return {
    ...refusal,
    message: `${message}, where ${person} has ${dataSource} from ${window}`,
    remedy: `${remedy}; where permissions are exact, the last two end that grant`,
  };
}
