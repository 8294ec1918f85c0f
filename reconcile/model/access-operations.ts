import type { Step } from './step.ts';

const giving = new Set<string>([
  'addRolePerson',
  'setRolePersonWindows',
  'addRoleDataSource',
  'createPermission',
  'unlockPerson',
]);
const taking = new Set<string>([
  'removeRolePerson',
  'removeRoleDataSource',
  'deleteRole',
  'deletePermission',
  'lockPerson',
  'deletePerson',
  'deleteDataSource',
]);

/** True if a step takes access away. Other times for a membership that is there may. */
export const isTaking = (step: Step): boolean =>
  taking.has(step.operation) ||
  (step.operation === 'setRolePersonWindows' && step.effect === 'change') ||
  isMoved(step, (from, to, field) => (field === 'startsAt' ? from < to : to < from));

const isGiving = (step: Step): boolean =>
  giving.has(step.operation) || isMoved(step, (from, to, field) => (field === 'startsAt' ? to < from : from < to));

/** True if a step moves an end of a permission's window like this. Times are ISO 8601, which sort as they stand. */
const isMoved = (
  { operation, changes = [] }: Step,
  is: (from: string, to: string, field: string) => boolean,
): boolean =>
  operation === 'updatePermission' && changes.some(({ field, from, to }) => is(from ?? '', to ?? '', field));

/** What of a connection decides which database people reach, and as whom. */
const leading = new Set(['type', 'user', 'host', 'port', 'database']);

/** Whether a step leads a data source to another database, or lets people in as another user of it. */
export const isRepointing = ({ operation, changes = [] }: Step): boolean =>
  operation === 'updateDataSource' && changes.some(({ field }) => leading.has(field));

/** Whether steps give and take access, or one of these and another database: only then can their order matter to anyone. */
export function isMixed(steps: readonly Step[]): boolean {
  const kinds = [isGiving, isTaking, isRepointing];
  return kinds.filter((isOne) => steps.some(isOne)).length > 1;
}

/** True if a step can change who reaches what. */
export const touchesAccess = (step: Step): boolean => isGiving(step) || isTaking(step);
