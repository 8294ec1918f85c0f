import type { Managed } from '@rolecall/api';
import { collectionWords, type ObjectCollection, type Rails } from '@rolecall/crds';
import { criticalBounds, exceeds, listUpTo, snippetWords, type View } from '@rolecall/reconcile';
import { refusal } from '../plugin/framework/diagnostics.ts';
import type { MemberCollection } from './members.ts';

/** The workspace as far as removals need it. */
interface ManagedWorkspace {
  /** The workspace as it was before this command. */
  readonly before: View;
  /** The manager that runs this command. */
  readonly manager: string;
  /** Counts the memberships of people. */
  memberships(): Promise<number>;
  /** The name of the role whose members are administrators; undefined if there is none, or the service does not say. */
  adminRole(): Promise<string | undefined>;
  /** Reads the last write of an object; undefined if the workspace does not know. */
  lastWrite(kind: string, id: string): Promise<Managed | undefined>;
}

/** Words of a refusal for what would go. */
interface Wording {
  readonly what: () => string | Promise<string>;
  readonly fate?: keyof typeof forms;
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
    const fate = collection === 'people' ? 'remove or lock' : 'remove';
    await this.#check(collection, this.#add(collection, [name]), all.length, {
      what: () => collectionWords[collection],
      fate,
    });
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

  /** @throws DiagnosticError when with these members the share of a role is too large, or that of all memberships of the workspace */
  async removeMembers(role: string, members: MemberCollection, names: readonly string[]): Promise<void> {
    await this.moveMembers(role, members, names);
    if (members !== 'people') return;
    const name = await this.#nameOf(role);
    const all = this.#add(
      'memberships',
      names.map((person) => `${person} in ${name}`),
    );
    // To count those of the workspace may take a call for each role.
    if (all.length < this.#rails.minimumRemoval) return;
    await this.#check('memberships', all, await this.#workspace.memberships(), {
      what: () => 'memberships of people in roles',
    });
  }

  /**
   * Counts members who leave a role for another one: they are missing in the role alone.
   *
   * @throws DiagnosticError when with these members the share of the role is too large
   */
  async moveMembers(role: string, members: MemberCollection, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { before } = this.#workspace;
    const { all } = members === 'people' ? await before.rolePeople(role) : await before.roleDataSources(role);
    const name = await this.#nameOf(role);
    const key = `${members} ${role}`;
    const leaving = this.#add(key, names);
    const what = `${collectionWords[members]} in the role ${name}`;
    if (members === 'people') await this.#checkAdministrators(name, leaving, all.length);
    await this.#check(key, leaving, all.length, { what: async () => `${what}${await this.#owns(role, members)}` });
  }

  /** @throws DiagnosticError when the role has the administrators, whom the service knows by its name */
  async renameRole(name: string): Promise<void> {
    if (this.#rails.maxRemovalPercent === 100 || (await this.#workspace.adminRole()) !== name) return;
    throw refusal(
      'The administrators would lose their role',
      `This plan renames the role ${name}, and the service knows the administrators of the workspace by that name. Put the old name back, or give the service the new one first. If it is meant, set ROLECALL_MAX_REMOVAL_PERCENT=100 for this one command.`,
      ['name'],
    );
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

  /** Counts some more. @returns all that are counted under this key by now */
  #add(key: string, names: readonly string[]): readonly string[] {
    const all = [...(this.#removed.get(key) ?? []), ...names];
    this.#removed.set(key, all);
    return all;
  }

  async #check(key: string, names: readonly string[], size: number, { what, fate = 'remove' }: Wording): Promise<void> {
    if (!exceeds({ before: size, lost: names.length, gained: 0 }, this.#rails) || this.#refused.has(key)) return;
    this.#refused.add(key);
    throw tooMany(await what(), fate, names, size, this.#rails);
  }

  /** Holds the role of the administrators to what the engine lets go of what is critical, unless everything may go. */
  async #checkAdministrators(role: string, names: readonly string[], size: number): Promise<void> {
    const isMuch = names.length >= size || exceeds({ before: size, lost: names.length, gained: 0 }, criticalBounds);
    if (!isMuch || this.#rails.maxRemovalPercent === 100 || this.#refused.has('administrators')) return;
    if ((await this.#workspace.adminRole()) !== role) return;
    this.#refused.add('administrators');
    throw refusal(
      'The administrators would leave their role',
      `This plan removes ${names.length} of the ${size} people in the role ${role}, whose members are the administrators of the workspace, among them ${listUpTo(10, names)}. Remove one at a time, after another one was added, and never the last. If it is meant, set ROLECALL_MAX_REMOVAL_PERCENT=100 for this one command.`,
    );
  }

  /** The snippets of a role from which people go, read only for a refusal. */
  async #owns(role: string, members: MemberCollection): Promise<string> {
    if (members !== 'people') return '';
    const { all } = await this.#workspace.before.snippets();
    const names = all.flatMap(({ ownerRole, activeVersion }) => (ownerRole?.id === role ? [activeVersion.name] : []));
    return names.length === 0 ? '' : `, which owns ${snippetWords(names)},`;
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
