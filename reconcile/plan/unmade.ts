import { indexMakers } from '../kinds/scope.ts';
import type { DesiredObject } from '../model/desired.ts';
import { referencesOf, type Step } from '../model/step.ts';

/**
 * Finds what a plan of a part needs and does not make: objects that steps refer to, that are not in the workspace, and that were
 * known and not compared.
 *
 * @param objects all that the plan was made with
 * @returns those that have to be compared as well, or the steps that refer to them fail
 */
export function unmade(steps: readonly Step[], objects: readonly DesiredObject[]): DesiredObject[] {
  const needed = new Set(steps.flatMap(referencesOf));
  for (const { makes } of steps) if (makes !== undefined) needed.delete(makes);
  if (needed.size === 0) return [];
  return [...indexMakers(objects)].filter(([name]) => needed.has(name)).map(([, object]) => object);
}
