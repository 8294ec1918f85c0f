import type { DefinitionOf } from '../kinds/definition.ts';
import { mostContained } from '../kinds/role.ts';
import type { ReferenceIndex } from './reference-index.ts';

type Role = DefinitionOf<'Role'>;

/** Why the definitions do not tell everything that a role contains. */
export type ContainmentFault =
  /** A role, it or one that it contains, names another one that no definition declares. */
  | { readonly type: 'undeclared'; readonly role: Role; readonly name: string }
  /** Each of these roles contains the next, and the last one the first. */
  | { readonly type: 'cycle'; readonly roles: readonly Role[] }
  | { readonly type: 'too many' };

export interface Containment {
  /** The roles that it contains, directly or in one of them; each once, without itself. */
  readonly roles: readonly Role[];
  /** The first fault that was found. */
  readonly fault?: ContainmentFault;
}

/** Finds the declared roles that a role contains. A cycle ends the search, and so does the bound. */
export function containedRoles(role: Role, index: ReferenceIndex): Containment {
  const reached = new Set<Role>([role]);
  const path: Role[] = [];
  let fault: ContainmentFault | undefined;
  const visit = (from: Role): void => {
    path.push(from);
    for (const name of from.spec.roles ?? []) {
      const { declared } = index.resolve('Role', name, from);
      if (declared === undefined) fault ??= { type: 'undeclared', role: from, name };
      else if (path.includes(declared)) fault ??= { type: 'cycle', roles: path.slice(path.indexOf(declared)) };
      else if (!reached.has(declared) && reached.size > mostContained) fault ??= { type: 'too many' };
      else if (!reached.has(declared)) {
        reached.add(declared);
        visit(declared);
      }
    }
    path.pop();
  };
  visit(role);
  reached.delete(role);
  return { roles: [...reached], ...(fault && { fault }) };
}
