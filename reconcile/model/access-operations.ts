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

/** Whether a step takes access away. Other times for a membership that is there may. */
export const isTaking = ({ operation, effect }: Step): boolean =>
  taking.has(operation) || (operation === 'setRolePersonWindows' && effect === 'change');

/** Whether steps both give and take access: only then can their order matter to anyone. */
export function isMixed(steps: readonly Step[]): boolean {
  return steps.some(({ operation }) => giving.has(operation)) && steps.some(isTaking);
}

/** Whether a step can change who reaches what. */
export const touchesAccess = ({ operation }: Step): boolean => giving.has(operation) || taking.has(operation);
