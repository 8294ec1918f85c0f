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

/** What of a connection decides which database people reach, and as whom. */
const leading = new Set(['type', 'user', 'host', 'port', 'database']);

/** Whether a step leads a data source to another database, or lets people in as another user of it. */
export const isRepointing = ({ operation, changes = [] }: Step): boolean =>
  operation === 'updateDataSource' && changes.some(({ field }) => leading.has(field));

/** Whether steps give and take access, or one of these and another database: only then can their order matter to anyone. */
export function isMixed(steps: readonly Step[]): boolean {
  const kinds = [({ operation }: Step) => giving.has(operation), isTaking, isRepointing];
  return kinds.filter((isOne) => steps.some(isOne)).length > 1;
}

/** Whether a step can change who reaches what. */
export const touchesAccess = ({ operation }: Step): boolean => giving.has(operation) || taking.has(operation);
