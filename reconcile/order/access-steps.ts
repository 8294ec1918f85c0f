import type { DeclarableKind, Permission } from '@rolecall/api';
import { idOf, type Step } from '../model/step.ts';
import type { Act } from '../operations/operation.ts';
import { actOf, does, isOfMembership, subjectId } from '../operations/table.ts';
import { type GrantState, grantState } from '../view/access.ts';
import type { View } from '../view/view.ts';
import { skewMs } from './membership-times.ts';

/** Status of a member of a role: in it before and after the plan, only after it, or only before. */
export type MemberStatus = 'kept' | 'added' | 'removed';

/** Steps that add or remove members of one kind, by role and member. */
export type MemberSteps = ReadonlyMap<string, ReadonlyMap<string, { status: MemberStatus; step: string }>>;

/** @param statusOf what a step does; undefined: nothing now. Default: by its act */
export function memberSteps(
  steps: readonly Step[],
  member: 'person' | 'dataSource',
  statusOf: (step: Step) => MemberStatus | undefined = byAct,
): MemberSteps {
  const byRole = new Map<string, Map<string, { status: MemberStatus; step: string }>>();
  for (const step of steps) {
    const { id, params } = step;
    if (!isOfMembership(step) || params[member] === undefined) continue;
    const status = statusOf(step);
    if (status === undefined) continue;
    const role = idOf(params.role);
    const byMember = byRole.get(role) ?? new Map<string, { status: MemberStatus; step: string }>();
    byRole.set(role, byMember);
    byMember.set(idOf(params[member]), { status, step: id });
  }
  return byRole;
}

const byAct = (step: Step): MemberStatus => (actOf(step) === 'delete' ? 'removed' : 'added');

/** The steps that do this to subjects of this kind, by the id of the subject. */
export function stepsOn(steps: readonly Step[], act: Act, subject: DeclarableKind): Map<string, string> {
  return new Map(steps.flatMap((step) => (does(step, act, subject) ? [[subjectId(step), step.id] as const] : [])));
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
  return steps.flatMap((step): PermissionStep[] => {
    const { id, params, body } = step;
    if (does(step, 'create', 'permission')) {
      const [person, dataSource] = [idOf(params.person), idOf(params.dataSource)];
      const isLater = body?.startsAt !== undefined && Date.parse(body.startsAt) > now.getTime();
      return [{ person, dataSource, step: id, change: isLater ? 'grantedLater' : 'granted' }];
    }
    const old = view.peek('permissions')?.byId.get(idOf(params.permission));
    if (old === undefined) return [];
    const state = grantState(old, soon);
    const isActive = state !== 'past' && (state === 'active' || beganWhenMade(old));
    const change =
      actOf(step) === 'edit'
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
