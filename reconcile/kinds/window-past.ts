import type { Permission } from '@rolecall/api';
import { type DesiredPermission, label } from '../model/desired.ts';
import { dataSourceKey, personKey } from '../model/keys.ts';
import type { Refusal } from '../model/step.ts';
import { isOver, isWindowOf, shortTime } from '../model/window.ts';
import type { Scope } from './scope.ts';

/**
 * A grant of the same pair that is not over and that a definition whose end was moved into the past may have made: it begins
 * as that is declared to, and no other definition means it. A front end that remembers no ids can only name it.
 *
 * @param ofPair the permissions of the person and the data source
 */
export function leftRunning(
  ofPair: readonly Permission[],
  desired: DesiredPermission,
  { desired: desiredOf, now }: Pick<Scope, 'desired' | 'now'>,
): Permission | undefined {
  const others = desiredOf('Permission').filter(
    ({ person, dataSource }) =>
      personKey(person) === personKey(desired.person) &&
      dataSourceKey(dataSource) === dataSourceKey(desired.dataSource),
  );
  return ofPair.find(
    (permission) =>
      !isOver(permission, now) &&
      isWindowOf(permission, { ...desired, expiresAt: permission.expiresAt }, now) &&
      !others.some((other) => isWindowOf(permission, other, now)),
  );
}

/** Refuses a window that is over and was never granted, and names the grant that its definition may have made before. */
export function windowPast(
  desired: DesiredPermission,
  running: Permission | undefined,
  { replaced }: Pick<Scope, 'replaced'>,
): Refusal {
  const { person, dataSource, expiresAt } = desired;
  const message = replaced.has(personKey(person))
    ? `${label(desired)} ended at ${expiresAt}, and its record goes with ${person}, who is deleted and created again`
    : `${label(desired)} ended at ${expiresAt} and was never granted in this workspace`;
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
