import type { Rails } from '@rolecall/crds';
import { kindOf } from '../kinds/registry.ts';
import { type DesiredDataSource, type DesiredObject, type DesiredRole, label } from '../model/desired.ts';
import { dataSourceKey, roleKey } from '../model/keys.ts';
import type { Judged, Refusal } from '../model/step.ts';
import type { AccessRole } from '../view/access.ts';
import type { Loss } from './access-loss.ts';
import type { Compared } from './compared.ts';
import { compareMembers } from './membership-loss.ts';
import { exceeds, someOf } from './removal-share.ts';
import type { TakingSteps } from './taking-steps.ts';

/** A role or data source of which a run may take little, and why. */
interface Guard {
  readonly kind: 'DataSource' | 'Role';
  readonly label: string;
  readonly id: string | undefined;
  readonly key: string;
  readonly why: string;
}

/** Lists the objects annotated as critical, and the role whose members are administrators if the service names it. */
export function guardsOf(objects: readonly DesiredObject[], adminRole: string | undefined): Guard[] {
  const isAdmin = (object: DesiredObject): boolean =>
    adminRole !== undefined && object.kind === 'Role' && roleKey(object.role) === roleKey(adminRole);
  const critical = objects.filter((object) => isCritical(object) && !isAdmin(object)) as Critical[];
  const guards = critical.map((object) => ({
    ...{ kind: object.kind, label: label(object), id: object.id, key: kindOf(object.kind).key(object) },
    why: 'is critical',
  }));
  if (adminRole === undefined) return guards;
  const declared = objects.find(isAdmin);
  const admin = {
    ...{ kind: 'Role' as const, label: declared ? label(declared) : `Role/${adminRole}`, id: undefined },
    ...{ key: roleKey(adminRole), why: 'has the administrators of the workspace' },
  };
  return [...guards, admin];
}

type Critical = DesiredDataSource | DesiredRole;

const isCritical = (object: DesiredObject): object is Critical =>
  (object.kind === 'DataSource' || object.kind === 'Role') && object.critical === true;

/** Bounds on what one run may take of a critical object: one of its people, but not the last, or a tenth of them. */
export const criticalBounds: Rails = { maxRemovalPercent: 10, minimumRemoval: 2 };

/** Refuses to take too much of a guarded role or data source. */
export function checkGuard(guard: Guard, compared: Compared, taking: TakingSteps): Judged[] {
  const guardedLoss = lossOf(guard, compared);
  if (guardedLoss === undefined) return [];
  const { loss, key } = guardedLoss;
  const isLast = loss.lost === loss.before && loss.gained === 0;
  if (!isLast && !exceeds(loss, criticalBounds)) return [];
  const reach = guard.kind === 'Role' ? 'are in it' : 'reach it';
  const refusal: Refusal = {
    rail: 'critical',
    objects: [guard.label],
    message: `${guard.label} ${guard.why}, and ${loss.lost} of the ${loss.before} people who ${reach} would lose it: ${someOf(loss.lost, loss.names)}`,
    remedy: 'take it from one person at a time, and never from the last one',
    override: `critical:${guard.label}`,
  };
  return [{ refusal, holds: guard.kind === 'Role' ? taking.fromRole(key) : taking.fromDataSource(key) }];
}

/** Counts the people that a run takes from those who reach a data source, or who are in a role and can log in. */
export function lossOf(guard: Guard, { before, after, loss, now }: Compared): { key: string; loss: Loss } | undefined {
  const isIt = ({ key, natural }: { key: string; natural: string | null }): boolean =>
    key === guard.id || natural === guard.key;
  if (guard.kind === 'DataSource') {
    const dataSource = before.dataSources.find(({ key, alias }) =>
      isIt({ key, natural: alias && dataSourceKey(alias) }),
    );
    const sourceLoss = dataSource && loss.dataSources.get(dataSource.key);
    return dataSource && sourceLoss && { key: dataSource.key, loss: sourceLoss };
  }
  const isRole = ({ key, name }: AccessRole): boolean => isIt({ key, natural: roleKey(name) });
  const role = before.roles.find(isRole);
  if (role === undefined) return undefined;
  // Another role may take the place of one that goes, under its name.
  const left = after.roles.find(({ key }) => key === role.key) ?? after.roles.find(isRole);
  return { key: role.key, loss: compareMembers([before, role], [after, left], now) };
}
