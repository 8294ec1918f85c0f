import type { Permission } from '@rolecall/api';
import { idOf, type Step } from '../model/step.ts';
import { type GrantState, grantState } from '../view/access.ts';
import type { View } from '../view/view.ts';
import { skewMs } from './membership-times.ts';

/** How a member is in a role: before and after the plan, only after it, or only before. */
export type Stay = 'kept' | 'added' | 'removed';

/** Steps that add or remove members of one kind, by role and member. */
export type MemberSteps = ReadonlyMap<string, ReadonlyMap<string, { stay: Stay; step: string }>>;

/** @param stayOf what a step does; undefined: nothing now. Default: by its operation */
export function memberSteps(
  steps: readonly Step[],
  kind: 'Person' | 'DataSource',
  stayOf: (step: Step) => Stay | undefined = byOperation,
): MemberSteps {
  const parameter = kind === 'Person' ? 'person' : 'dataSource';
  const byRole = new Map<string, Map<string, { stay: Stay; step: string }>>();
  for (const step of steps) {
    const { id, operation, params } = step;
    if (!/Role(Person|DataSource)/.test(operation) || params[parameter] === undefined) continue;
    const stay = stayOf(step);
    if (stay === undefined) continue;
    const role = idOf(params['role']);
    const own = byRole.get(role) ?? new Map<string, { stay: Stay; step: string }>();
    byRole.set(role, own);
    own.set(idOf(params[parameter]), { stay, step: id });
  }
  return byRole;
}

const byOperation = ({ operation }: Step): Stay => (operation.startsWith('remove') ? 'removed' : 'added');

/** The steps of one operation by the id in one of their parameters. */
export function stepsBy(steps: readonly Step[], operation: Step['operation'], parameter: string): Map<string, string> {
  return new Map(
    steps.flatMap((step) => (step.operation === operation ? [[idOf(step.params[parameter]), step.id] as const] : [])),
  );
}

export interface PermissionStep {
  readonly person: string;
  readonly dataSource: string;
  readonly step: string;
  /** Later: the permission has not begun, and gives nothing while the plan runs. */
  readonly change: 'granted' | 'grantedLater' | 'ended' | 'endedBefore';
}

/** The permissions that steps grant or end, with who has them. One that is over gives nothing. */
export function permissionSteps(steps: readonly Step[], view: View, now: Date): PermissionStep[] {
  // The service's clock may be ahead: what is to begin in a moment may have begun there.
  const soon = new Date(now.getTime() + skewMs);
  return steps.flatMap(({ id, operation, params, body }): PermissionStep[] => {
    if (operation === 'createPermission') {
      const [person, dataSource] = [idOf(params['person']), idOf(params['dataSource'])];
      const isLater = typeof body?.['startsAt'] === 'string' && Date.parse(body['startsAt']) > now.getTime();
      return [{ person, dataSource, step: id, change: isLater ? 'grantedLater' : 'granted' }];
    }
    if (operation !== 'deletePermission' && operation !== 'updatePermission') return [];
    const old = view.peek('permissions')?.byId.get(idOf(params['permission']));
    if (old === undefined) return [];
    const state = grantState(old, soon);
    const isActive = state !== 'past' && (state === 'active' || beganWhenMade(old));
    const change =
      operation === 'updatePermission'
        ? changeOfMove(isActive, grantState({ ...old, ...(body as Partial<Permission>) }, now))
        : changeOfEnd(state, isActive);
    return change === undefined ? [] : [{ person: old.person.id, dataSource: old.dataSource.id, step: id, change }];
  });
}

function changeOfEnd(state: GrantState, isActive: boolean): PermissionStep['change'] | undefined {
  if (isActive) return 'ended';
  return state === 'past' ? undefined : 'endedBefore';
}

/** Only a move into the present or out of it changes who reaches what while the plan runs. */
function changeOfMove(isActive: boolean, after: GrantState): PermissionStep['change'] | undefined {
  if (isActive === (after === 'active')) return undefined;
  return isActive ? 'ended' : 'granted';
}

/** True if a permission began by the very clock that it was made by, however far that is ahead of the one of the plan. */
const beganWhenMade = ({ startsAt, createdAt }: Permission): boolean => Date.parse(startsAt) <= Date.parse(createdAt);
