import { collectionWords, type ObjectCollection, type Rails } from '@rolecall/crds';
import { exceeds, type View } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';

/** Counts what one plan removes, and refuses it where that is too large a share of a collection. */
export interface Removals {
  /** @throws DiagnosticError when with this one the share is too large; told once a collection */
  remove: (collection: ObjectCollection, name: string) => Promise<void>;
  /** @throws DiagnosticError likewise, for the members of a role */
  removeMembers: (role: string, members: 'people' | 'dataSources', names: readonly string[]) => Promise<void>;
}

export function createRemovals(rails: Rails, before: View): Removals {
  const removed = new Map<string, string[]>();
  const refused = new Set<string>();
  const count = (key: string, what: string, names: readonly string[], size: number): void => {
    const all = removed.get(key) ?? [];
    removed.set(key, all);
    all.push(...names);
    if (!exceeds(all.length, size, rails) || refused.has(key)) return;
    refused.add(key);
    throw new DiagnosticError(tooMany(what, all, size, rails));
  };
  return {
    remove: async (collection, name) => {
      count(collection, collectionWords[collection], [name], (await before[collection]()).all.length);
    },
    removeMembers: async (role, members, names) => {
      if (names.length === 0) return;
      const collection = members === 'people' ? await before.rolePeople(role) : await before.roleDataSources(role);
      const name = (await before.roles()).byId.get(role)?.name ?? role;
      count(`${members} ${role}`, `the ${collectionWords[members]} in ${name}`, names, collection.all.length);
    },
  };
}

function tooMany(what: string, names: readonly string[], size: number, { maxRemovalPercent }: Rails) {
  const shown = names.slice(0, 10).join(', ');
  return failure(
    `Too many ${what} would be removed`,
    `This plan removes more than ${maxRemovalPercent} % of ${size} ${what}, among them ${shown}. If that is meant, set the provider's max_removal_percent, or ROLECALL_MAX_REMOVAL_PERCENT for this one command, to what may go; if not, look for what is missing in the configuration.`,
  );
}
