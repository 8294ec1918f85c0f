/**
 * Which objects have to be planned together. Planned by itself, an object would not be planned as it is among all the
 * others: what it refers to may have to be made first, and what somebody else declares may not be taken away.
 */

import { hasFinalizer, isLeaving } from '../resources/custom-object.ts';
import { emailToken, keyToken, snippetToken } from './index-keys.ts';
import type { Member, Members } from './object-index.ts';

export interface Part {
  /** Those that are compared with the workspace. */
  readonly compared: ReadonlySet<string>;
  /** Those of which the engine only has to know. */
  readonly known: ReadonlySet<string>;
}

export interface PartOptions {
  /** Whether an object is not known to be as it was declared, so that steps may be needed for it. */
  readonly isOpen: (label: string) => boolean;
  /** The username of the person in the workspace who has an e-mail address. */
  readonly holderOf: (email: string) => string | undefined;
  /** Whether the person in the workspace that an object means would be deleted and created again. */
  readonly isReplaced: (member: Member) => boolean;
}

/**
 * Finds the part that some objects are planned in:
 * - what they refer to, and what that refers to: compared where it is open, for it may have to be made first;
 * - who claims the same thing in the workspace, or decides who may have it: an e-mail address, a snippet's name, a membership, a
 *   permission that ends at the same moment;
 * - of a person who is replaced, everything that refers to them: it gives back what ends with the deletion;
 * - of a role, the memberships that add to it, and the protected roles, which may not be left empty.
 *
 * @param chosen labels of objects that are not being deleted
 */
export function partOf(
  chosen: Iterable<string>,
  members: Members,
  { isOpen, holderOf, isReplaced }: PartOptions,
): Part {
  const compared = new Set<string>();
  const known = new Set<string>();
  const todo: string[] = [];

  const isThere = (label: string): boolean => {
    const member = members.get(label);
    return member !== undefined && !isLeaving(member.object);
  };
  const compare = (label: string): void => {
    if (compared.has(label) || !isThere(label)) return;
    known.delete(label);
    compared.add(label);
    todo.push(label);
  };
  const know = (label: string): void => {
    if (compared.has(label) || known.has(label) || !isThere(label)) return;
    known.add(label);
    todo.push(label);
  };
  const pull = (label: string): void => {
    if (isOpen(label)) compare(label);
    else know(label);
  };

  function expand(label: string): void {
    const member = members.get(label);
    if (member === undefined) return;
    const refs = members.refsOf(label);
    if (!compared.has(label)) {
      // References are natural keys to the engine: whoever has them has to be there.
      for (const ref of refs) for (const one of members.meantBy(ref)) know(one);
      return;
    }
    for (const ref of refs) for (const one of members.meantBy(ref)) pull(one);
    const { definition } = member;
    switch (definition.kind) {
      case 'Person': {
        const { username, email } = definition.spec;
        for (const one of members.having(keyToken('Person', username))) compare(one);
        for (const one of members.having(emailToken(email))) pull(one);
        const holder = holderOf(email);
        if (holder !== undefined) for (const one of members.having(keyToken('Person', holder))) pull(one);
        if (isReplaced(member)) for (const one of members.referringTo(label)) compare(one);
        break;
      }
      case 'Role':
        for (const one of members.having(keyToken('Role', definition.spec.name))) compare(one);
        for (const one of members.referringTo(label)) if (one.startsWith('RoleMembership/')) know(one);
        break;
      case 'DataSource':
        for (const one of members.having(keyToken('DataSource', definition.spec.alias))) compare(one);
        break;
      case 'Snippet':
        for (const one of members.having(snippetToken(definition.spec.name))) compare(one);
        break;
      case 'RoleMembership':
      case 'Permission':
        for (const one of twins(label, members)) compare(one);
    }
  }

  for (const label of chosen) compare(label);
  for (const label of members.protectedRoles) know(label);
  for (let label = todo.pop(); label !== undefined; label = todo.pop()) expand(label);
  return { compared, known };
}

/**
 * The deleted objects that a part has to know. They are no less declared until their own removal, which may have to wait: else
 * a collection that is exact would remove what they stand for, and a role that lists its members whom they add to it.
 *
 * @param isWhole whether the part is all there is
 */
export function leavingOf({ compared }: Part, isWhole: boolean, members: Members): Member[] {
  const labels = isWhole
    ? [...members.labels()]
    : [...compared]
        .flatMap((label) => (label.startsWith('Role/') ? [...members.referringTo(label)] : []))
        .filter((label) => label.startsWith('RoleMembership/'));
  return [...new Set(labels)]
    .flatMap((label) => members.get(label) ?? [])
    .filter(({ object }) => isLeaving(object) && hasFinalizer(object));
}

/**
 * Those of the same kind that join the same two ends, themselves left out; of permissions, those whose window may be taken for
 * this one's, which are the ones that end with it. A pair may have thousands of windows, one after the other.
 */
export function twins(label: string, members: Members): string[] {
  const [kind = ''] = label.split('/');
  const [rarest, ...others] = members.meaningsOf(label).sort((a, b) => a.count - b.count);
  if (rarest === undefined || others.length === 0) return [];
  return members
    .referringBy(rarest.tokens)
    .filter((one) => one !== label && one.startsWith(`${kind}/`))
    .filter((one) => others.every(({ tokens }) => members.refersTo(one, tokens)));
}

/** Those whose steps may be others because an object is there, or is not. */
export function affectedBy(label: string, members: Members): Set<string> {
  const affected = members.referringTo(label);
  for (const token of members.ownOf(label)) for (const one of members.having(token)) affected.add(one);
  for (const one of twins(label, members)) affected.add(one);
  affected.delete(label);
  return affected;
}
