import type { Managed } from '@rolecall/api';
import { collectionWords, type ObjectCollection, type Rails } from '@rolecall/crds';
import { exceeds, listUpTo, type View } from '@rolecall/reconcile';
import { refusal } from '../plugin/framework/diagnostics.ts';
import type { MemberCollection } from './planned-members.ts';

/** What the removals need to know of the workspace. */
interface ManagedWorkspace {
  /** The workspace as it was before this command. */
  readonly before: View;
  /** Who runs this command. */
  readonly manager: string;
  /** Who last wrote an object; undefined if the workspace does not know. */
  lastWrite(kind: string, id: string): Promise<Managed | undefined>;
}

/** Counts what one plan removes, and whom it locks, and refuses it where that is too large a share of a collection. */
export class Removals {
  readonly #rails: Rails;
  readonly #workspace: ManagedWorkspace;
  readonly #removed = new Map<string, string[]>();
  /** Collections whose share was refused: one error for each is enough. */
  readonly #refused = new Set<string>();

  constructor(rails: Rails, workspace: ManagedWorkspace) {
    this.#rails = rails;
    this.#workspace = workspace;
  }

  /** @throws DiagnosticError when with this object the share is too large */
  async remove(collection: ObjectCollection, name: string): Promise<void> {
    const { all } = await this.#workspace.before[collection]();
    this.#count(collection, collectionWords[collection], [name], all.length);
  }

  /**
   * Counts a person who is to be locked with those who are removed: either way they reach nothing.
   *
   * @throws DiagnosticError when with this person the share is too large
   */
  async lock(username: string): Promise<void> {
    const isCounted = this.#removed.get('people')?.includes(username) === true;
    if (!isCounted) await this.remove('people', username);
  }

  /** @throws DiagnosticError when with these members of a role the share is too large */
  async removeMembers(role: string, members: MemberCollection, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { before } = this.#workspace;
    const { all } = members === 'people' ? await before.rolePeople(role) : await before.roleDataSources(role);
    const what = `${collectionWords[members]} in the role ${await this.#nameOf(role)}`;
    this.#count(`${members} ${role}`, what, names, all.length);
  }

  /** @throws DiagnosticError when a list that is new to its role would remove members that this manager did not add, unless that is allowed */
  async beginList(
    role: string,
    members: MemberCollection,
    leaving: readonly { readonly id: string; readonly name: string }[],
  ): Promise<void> {
    if (leaving.length === 0 || this.#rails.allowFirstRemoval === true) return;
    const kind = members === 'people' ? 'role_person' : 'role_data_source';
    const writes = await Promise.all(leaving.map(({ id }) => this.#workspace.lastWrite(kind, `${role}/${id}`)));
    const names = leaving
      .filter((_member, index) => writes[index]?.manager !== this.#workspace.manager)
      .map(({ name }) => name);
    if (names.length === 0) return;
    throw firstRemoval(`${collectionWords[members]} in the role ${await this.#nameOf(role)}`, names);
  }

  #count(key: string, what: string, names: readonly string[], size: number): void {
    const all = [...(this.#removed.get(key) ?? []), ...names];
    this.#removed.set(key, all);
    if (!exceeds({ before: size, lost: all.length, gained: 0 }, this.#rails) || this.#refused.has(key)) return;
    this.#refused.add(key);
    const fate = key === 'people' ? 'remove or lock' : 'remove';
    throw tooMany(what, fate, all, size, this.#rails);
  }

  async #nameOf(role: string): Promise<string> {
    return (await this.#workspace.before.roles()).byId.get(role)?.name ?? role;
  }
}

function firstRemoval(what: string, names: readonly string[]) {
  return refusal(
    'Members that others added would be removed',
    `The rail first-removal refuses this: the list of the ${what} is new in this state or comes from another role, and would remove ${listUpTo(10, names)}. Name them in the list, or manage single members with rolecall_role_person and rolecall_role_data_source. If the removal is meant, set ROLECALL_ALLOW_FIRST_REMOVAL=true for this one command, or the provider's allow_first_removal.`,
  );
}

const forms = {
  remove: { passive: 'removed', active: 'removes' },
  'remove or lock': { passive: 'removed or locked', active: 'removes or locks' },
} as const;

function tooMany(
  what: string,
  fate: keyof typeof forms,
  names: readonly string[],
  size: number,
  { maxRemovalPercent }: Rails,
) {
  const shown = names.slice(0, 10).join(', ');
  const { passive, active } = forms[fate];
  return refusal(
    `Too many ${what} would be ${passive}`,
    `This plan ${active} more than ${maxRemovalPercent} % of ${size} ${what}, among them ${shown}. If that is meant, set the provider's max_removal_percent, or ROLECALL_MAX_REMOVAL_PERCENT for this one command, to what may go; if not, look for what is missing in the configuration, and for resources whose address changed without a moved block.`,
  );
}
