import { collectionWords, type ObjectCollection, type Rails } from '@rolecall/crds';
import { exceeds, listUpTo, type View } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../plugin/framework/diagnostics.ts';

/** Counts what one plan removes, and refuses it where that is too large a share of a collection. */
export interface Removals {
  /** @throws DiagnosticError when with this one the share is too large; told once a collection */
  remove: (collection: ObjectCollection, name: string) => Promise<void>;
  /** @throws DiagnosticError likewise, for the members of a role */
  removeMembers: (role: string, members: 'people' | 'dataSources', names: readonly string[]) => Promise<void>;
  /** @throws DiagnosticError when a list that is new would remove members whom this manager did not give, and that is not allowed by name */
  beginList: (role: string, members: 'people' | 'dataSources', removed: readonly Member[]) => Promise<void>;
}

interface Member {
  readonly id: string;
  readonly name: string;
}

export function createRemovals(
  rails: Rails,
  before: View,
  manager: string,
  managers: () => Promise<ReadonlyMap<string, string>>,
): Removals {
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
    beginList: async (role, members, leaving) => {
      if (leaving.length === 0 || rails.allowFirstRemoval === true) return;
      const kind = members === 'people' ? 'role_person' : 'role_data_source';
      const known = await managers();
      const names = leaving.filter(({ id }) => known.get(`${kind} ${role}/${id}`) !== manager).map((one) => one.name);
      if (names.length === 0) return;
      const name = (await before.roles()).byId.get(role)?.name ?? role;
      throw new DiagnosticError(firstRemoval(`${collectionWords[members]} in ${name}`, names));
    },
    removeMembers: async (role, members, names) => {
      if (names.length === 0) return;
      const collection = members === 'people' ? await before.rolePeople(role) : await before.roleDataSources(role);
      const name = (await before.roles()).byId.get(role)?.name ?? role;
      count(`${members} ${role}`, `the ${collectionWords[members]} in ${name}`, names, collection.all.length);
    },
  };
}

function firstRemoval(what: string, names: readonly string[]) {
  return failure(
    'Members whom others gave would be removed',
    `The rail first-removal refuses this: the list of the ${what} is new in this state, and would remove ${listUpTo(10, names)}. Name them in the list, or manage single members with rolecall_role_person and rolecall_role_data_source. If the removal is meant, set ROLECALL_ALLOW_FIRST_REMOVAL=true for this one command, or the provider's allow_first_removal.`,
  );
}

function tooMany(what: string, names: readonly string[], size: number, { maxRemovalPercent }: Rails) {
  const shown = names.slice(0, 10).join(', ');
  return failure(
    `Too many ${what} would be removed`,
    `This plan removes more than ${maxRemovalPercent} % of ${size} ${what}, among them ${shown}. If that is meant, set the provider's max_removal_percent, or ROLECALL_MAX_REMOVAL_PERCENT for this one command, to what may go; if not, look for what is missing in the configuration.`,
  );
}
