/** Finds roles that contain each other, that contain too many, or that contain one that is not declared. */

import { grouped } from '../fields/fields.ts';
import type { Definition, DefinitionOf } from '../kinds/definition.ts';
import { mostContained } from '../kinds/role.ts';
import { containedRoles } from '../references/contained-roles.ts';
import { givenBy, listsDataSources } from '../references/plain-role.ts';
import type { ReferenceIndex } from '../references/reference-index.ts';
import { type CrossIssue, errorAt, placeOf, warningAt } from './problems.ts';

type Role = DefinitionOf<'Role'>;

/** Checks what roles contain in all. References to roles that are not declared are found with the other references. */
export function findContainmentIssues(definitions: readonly Definition[], index: ReferenceIndex): CrossIssue[] {
  const containing = definitions.filter((role) => role.kind === 'Role').filter(({ spec }) => spec.roles !== undefined);
  const order = new Map(definitions.map((definition, at) => [definition, at]));
  const cycles = new Map<string, CrossIssue>();
  const others = containing.flatMap((role): CrossIssue[] => {
    const { fault } = containedRoles(role, index);
    if (fault?.type === 'cycle') {
      const cycle = beginningFirst(fault.roles, (definition) => order.get(definition) ?? 0);
      // Each role of a cycle finds it, and each role that contains one of these.
      cycles.set(cycle.map((definition) => order.get(definition)).join(), cycleIssue(cycle, index));
    }
    return [...(fault?.type === 'too many' ? [tooMany(role)] : []), ...unlisted(role, index)];
  });
  return [...cycles.values(), ...others];
}

/** A cycle from the role that was read first. */
function beginningFirst(cycle: readonly Role[], orderOf: (role: Role) => number): Role[] {
  const orders = cycle.map(orderOf);
  const first = orders.indexOf(Math.min(...orders));
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

function cycleIssue(cycle: readonly Role[], index: ReferenceIndex): CrossIssue {
  const [first, next = first] = cycle;
  if (first === undefined) throw new Error('a cycle has at least one role');
  const at = (first.spec.roles ?? []).findIndex((name) => index.resolve('Role', name, first).declared === next);
  const [, ...rest] = [...cycle, first].map((role) => `${role.metadata.name} (${placeOf(role)})`);
  const message =
    next === first
      ? 'is the role itself'
      : `makes a cycle: ${first.metadata.name} contains ${rest.join(', which contains ')}`;
  const remedy = next === first ? 'Remove it.' : 'Take one of these roles out of the one that contains it.';
  return { ...errorAt(['spec', 'roles', at], 'role_cycle', message, remedy), source: first.source };
}

function tooMany({ source }: Role): CrossIssue {
  const message = `contain more than ${grouped(mostContained)} roles, nested ones included`;
  const remedy = 'Select data sources by label with dataSourceSelector, or list them.';
  return { ...errorAt(['spec', 'roles'], 'roles_many', message, remedy), source };
}

/** A role without any list is often one that people fill in the workspace. */
function unlisted(from: Role, index: ReferenceIndex): CrossIssue[] {
  return (from.spec.roles ?? []).flatMap((name, at): CrossIssue | [] => {
    const { declared } = index.resolve('Role', name, from);
    if (declared === undefined || listsDataSources(declared) || givenBy(declared, index).length > 0) return [];
    const message = `is ${name}, and no definition gives it a data source (${placeOf(declared)}): it adds nothing`;
    const remedy = 'List its data sources there: what people add to it in the workspace does not count.';
    return { ...warningAt(['spec', 'roles', at], 'role_unlisted', message, remedy), source: from.source };
  });
}
