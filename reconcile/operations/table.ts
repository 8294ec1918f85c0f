import type { DeclarableKind } from '@rolecall/api';
import type { MemberKind } from '../model/desired.ts';
import type { MembershipWindows } from '../model/membership-window.ts';
import { idOf, type Step } from '../model/step.ts';
import type { StepOperation } from '../model/step-names.ts';
import { dataSources } from './data-sources.ts';
import { memberships } from './memberships.ts';
import type { Act, OfStep, Operation, Rows } from './operation.ts';
import { people } from './people.ts';
import { permissions } from './permissions.ts';
import { roles } from './roles.ts';
import { snippets } from './snippets.ts';
import { subjectTable } from './subjects.ts';

/** Every operation that steps call. What depends on an operation is in its row, and is asked for by the functions below. */
const table = {
  ...people,
  ...roles,
  ...memberships,
  ...dataSources,
  ...permissions,
  ...snippets,
} satisfies Rows<StepOperation>;

/** The row of a step's operation. */
export function operationOf({ operation }: Pick<Step, 'operation'>): Operation<StepOperation> {
  // A row takes the steps of its own operation, which this one is.
  return table[operation] as unknown as Operation<StepOperation>;
}

function resolve<T extends boolean | Act>(property: OfStep<StepOperation, T>, step: Step): T {
  return typeof property === 'function' ? property(step) : property;
}

export const actOf = (step: Step): Act => resolve(operationOf(step).act, step);

/** The kind of what a step is about, as the service names it. */
export const subjectOf = (step: Pick<Step, 'operation'>): DeclarableKind => operationOf(step).subject;

/** The id of what a step is about, of a membership those of both its ends; empty for what the step makes. */
export function subjectId(step: Step): string {
  const [first, second] = subjectTable[subjectOf(step)].parameters;
  const id = idOf(step.params[first]);
  return second === undefined ? id : `${id}/${idOf(step.params[second])}`;
}

/** True if a step does this to a subject of this kind. */
export const does = (step: Step, act: Act, subject: DeclarableKind): boolean =>
  subjectOf(step) === subject && actOf(step) === act;

/** The kind of the member of a role that a step is about; undefined if it is about no membership. */
export const memberKindOf = (step: Pick<Step, 'operation'>): MemberKind | undefined =>
  subjectTable[subjectOf(step)].member;

export const isOfMembership = (step: Pick<Step, 'operation'>): boolean => memberKindOf(step) !== undefined;

/** True if a step may give up a name that the service has once. */
export const mayFreeName = (step: Step): boolean =>
  subjectTable[subjectOf(step)].name !== undefined && ['edit', 'delete'].includes(actOf(step));

/** True if a step can make the object of a definition of this kind. */
export function makes(step: Pick<Step, 'operation'>, kind: string): boolean {
  const operation = operationOf(step);
  return operation.makes && subjectTable[operation.subject].kind === kind;
}

/** True if a step puts a person into a role: for good, or for a time. */
export const isJoining = (step: Step): boolean => subjectOf(step) === 'role_person' && actOf(step) !== 'delete';

/** The times in a role that a step sets; undefined for any other step. */
export const windowsOf = ({ body }: Step): MembershipWindows => body?.windows;

/** True for a permission of the run's own, which keeps someone's access while it moves from one role to another. */
export const isBridge = (step: Step): boolean => does(step, 'create', 'permission') && step.makes !== undefined;

/** True if a step gives access. A move of a permission's window may. */
export const isGiving = (step: Step): boolean => resolve(operationOf(step).access.gives, step);

/** True if a step takes access away. Other times for a membership that is there may. */
export const isTaking = (step: Step): boolean => resolve(operationOf(step).access.takes, step);

/** True if a step leads a data source to another database, or lets people in as another user of it. */
export const isRepointing = (step: Step): boolean => resolve(operationOf(step).access.repoints, step);

/** True if a step can change who reaches what. */
export const touchesAccess = (step: Step): boolean => isGiving(step) || isTaking(step);

/** True if steps give and take access, or do one of these and lead to another database: only then can their order matter to anyone. */
export function isMixed(steps: readonly Step[]): boolean {
  return [isGiving, isTaking, isRepointing].filter((isOfKind) => steps.some(isOfKind)).length > 1;
}
