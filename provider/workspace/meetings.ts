/** States of one object that may not meet in a plan, and the refusals. */

import type { View } from '@rolecall/reconcile';
import { DiagnosticError, failure, refusal } from '../plugin/framework/diagnostics.ts';
import type { Path } from '../plugin/values/value.ts';
import type { Form, MemberKind } from './members.ts';

/** An object by the type of its resource and its id, as in Terraform's state. */
export interface ObjectKey {
  readonly type: string;
  /** The natural key, where the state is `held` or `addressed`. */
  readonly id: string;
}

/** State that a resource enters for an object. */
export type State =
  /** A resource is to have the object of a natural key, found or made. */
  | 'held'
  /** A person is to have the e-mail address. */
  | 'addressed'
  /** A resource goes on with the object that it has. */
  | 'kept'
  /** A resource takes an object that exists, to adopt it or from another address. */
  | 'arriving'
  /** A resource gives its object up. */
  | 'leaving'
  /** A resource finds its permission by the window alone. */
  | 'meant'
  /** A list has all members of the role, and no other resource may have one: they would undo each other's work for ever. */
  | 'listed'
  /** Resources have members of the role one by one. */
  | 'single'
  /** A resource ends the membership, or has it after the plan. */
  | `given up by ${Form}`
  | `had by ${Form}`
  /** This command made the object: the reading before it does not show it, and as a role it has no members there. */
  | 'made'
  /** A resource of this command took the object over: no other resource may remove it. */
  | 'adopted'
  /** This command removed the object, or found that it is gone: the reading before it still shows it. */
  | 'removed';

/** An object as a refusal names it. */
export interface Subject extends ObjectKey {
  /** Such as `the person ada`. */
  readonly what: string;
  /** The attribute that says which object it is. */
  readonly path?: Path;
}

/** A membership, or all members of a role. */
export interface MemberSubject extends Subject {
  readonly kind: MemberKind;
  readonly role: string;
  /** The id of the member; undefined where it may be any. */
  readonly member?: string | undefined;
  /** The source of the names in a refusal. */
  readonly workspace: { readonly isKnown: boolean; readonly before: View };
}

/** Makes the error of a meeting. @param holder the resource that entered the other state */
type Refusal<S> = (subject: S, holder: string) => DiagnosticError | Promise<DiagnosticError>;

/** Two states of one object that may not meet, whichever is entered first. */
interface Meeting {
  readonly states: readonly [State, State];
  /** State with which they may meet. */
  readonly unless?: State;
  readonly refusal: Refusal<Subject | MemberSubject>;
}

/** States that may not meet. Where several do, the first of these is refused. */
export const meetings: readonly Meeting[] = [
  { states: ['held', 'held'], refusal: twoResources },
  { states: ['addressed', 'addressed'], refusal: twoAddressees },
  { states: ['kept', 'kept'], refusal: twoResources },
  // Terraform does not tell an apply what the state has, so the apply would take over what its resource keeps.
  { states: ['kept', 'meant'], refusal: meantTwice },
  { states: ['kept', 'arriving'], refusal: changesHands },
  // In either order, the object would be lost.
  { states: ['kept', 'leaving'], refusal: twoAddresses },
  // While applying, what is removed already is made again.
  { states: ['arriving', 'leaving'], unless: 'removed', refusal: twoAddresses },
  { states: ['listed', 'single'], refusal: ofMembers(bothForms) },
  { states: ['listed', 'listed'], refusal: ofMembers(twoLists) },
  // What the one puts in, the other one would take out.
  { states: ['listed', 'leaving'], refusal: twoAddresses },
  // Two single memberships meet as objects do. While applying, what is out already is put in again.
  { states: ['given up by list', 'had by list'], unless: 'removed', refusal: ofMembers(handover('list', 'list')) },
  { states: ['given up by list', 'had by single'], unless: 'removed', refusal: ofMembers(handover('list', 'single')) },
  { states: ['given up by single', 'had by list'], unless: 'removed', refusal: ofMembers(handover('single', 'list')) },
];

/** Narrows a refusal to the subjects that it is about. */
function ofMembers(refusal: Refusal<MemberSubject>): Meeting['refusal'] {
  return (subject, holder) => {
    if (!('role' in subject)) throw new TypeError(`${subject.type} ${subject.id} has no members`);
    return refusal(subject, holder);
  };
}

function twoResources({ what, path }: Subject): DiagnosticError {
  return refusal(
    `Two resources manage ${what}`,
    `Another resource of this configuration describes ${what} too. The workspace has one object for both, and removing one of them would delete it for the other: remove one of them, or correct it. If a resource was renamed, say so with a moved block; if both are in the state already, forget one by terraform state rm.`,
    path,
  );
}

function twoAddressees({ what, path }: Subject): DiagnosticError {
  return refusal(
    `Two people with the e-mail address ${what}`,
    `Another resource of this configuration gives a person the address ${what} too. Give one of the two another address.`,
    path,
  );
}

/** A permission of which two resources are to have one each, by its id and by its window. */
function meantTwice({ what, id, path }: Subject): DiagnosticError {
  return refusal(
    `Two resources manage ${what}`,
    `One resource of this configuration has ${what} (id ${id}), and what another one declares means it too. Remove one of the two, or give the newer one another end or a starts_at of its own.`,
    path,
  );
}

/** A name that one resource gives up and another one takes in the same plan. */
function changesHands({ what, path }: Subject): DiagnosticError {
  return refusal(
    `Another resource gives ${what} up`,
    `One resource of this configuration has ${what} and is changed into another one, and a new resource takes its name. In one apply, the new one could take over what the other one keeps. Apply the one that gives the name up first: terraform apply -target=ADDRESS, with its address.`,
    path,
  );
}

/** An object that a plan gives up at one address and wants at another one. */
function twoAddresses({ what, path }: Subject): DiagnosticError {
  return refusal(
    `Two addresses for ${what}`,
    `One resource of this configuration gives ${what} up, and another one takes it over or has it too. If the resource was renamed, say so with a moved block; if it is to be forgotten, with a removed block with destroy = false. If the plan calls one of the two a deposed object, run terraform state rm with its address and apply again, which takes ${what} over. Resources that swap their names take two applies, with a third name in between. Where count numbers them, each one after the one that is removed becomes another one: use for_each, with a moved block for each.`,
    path,
  );
}

/** A role that has both a list of its members and resources for single ones. */
function bothForms({ kind: { plural, types }, role }: MemberSubject): DiagnosticError {
  return refusal(
    `Two resources manage the ${plural} of one role`,
    `A ${types.list} and a ${types.single} have the role_id ${role}. The first one removes every member that it does not list, and the second one adds it again, for ever: put all members into ${types.list}, or use ${types.single} only.`,
    ['role_id'],
  );
}

function twoLists({ kind: { plural, types }, role }: MemberSubject): DiagnosticError {
  return refusal(
    `Two resources manage the ${plural} of one role`,
    `Two ${types.list} have the role_id ${role}. Each would remove the members of the other, for ever: put all of them into one.`,
    ['role_id'],
  );
}

/** Shown once for a role, however many members it has. */
class HandoverError extends DiagnosticError {
  override name = 'HandoverError';
  override readonly isShared = true;
}

/** A membership that one resource ends and another one is to have: the person or data source would be out for a moment. */
function handover(from: Form, to: Form): Refusal<MemberSubject> {
  return async ({ kind, role, member, workspace }, holder) => {
    const { noun, plural, types, memberIds } = kind;
    const names = workspace.isKnown ? await namesIn(workspace.before, kind, role, member ?? holder) : undefined;
    const inRole = `the role ${names?.role ?? role}`;
    const forget = `Forget the ${types[from]} instead: by a removed block with destroy = false, or, where other instances of it stay, by terraform state rm.`;
    const remedies = {
      list: `${forget} Remove members that are to leave the role from the list first, by an apply of its own. If the list goes on with another role, give it another address there.`,
      single: `${forget} The list removes members that it does not name.`,
      lists: `Leave each list with its role, and change its ${memberIds}.`,
    };
    const taken = from === to ? `another ${types.list}` : `a ${types[to]}`;
    return new HandoverError(
      failure(
        `${plural.charAt(0).toUpperCase()}${plural.slice(1)} would leave ${inRole} for a moment`,
        `This plan ends a ${types[from]} of ${inRole}, and ${taken} is to have the same ${plural} there, such as the ${noun} ${names?.member ?? member ?? holder}, as far as ids are known. Terraform may end the one before it makes the other, and access would be interrupted. ${remedies[from === to ? 'lists' : from]}`,
      ),
    );
  };
}

async function namesIn(view: View, { collection }: MemberKind, role: string, member: string) {
  const roleName = (await view.roles()).byId.get(role)?.name;
  if (collection === 'people') return { role: roleName, member: (await view.people()).byId.get(member)?.username };
  const dataSource = (await view.dataSources()).byId.get(member);
  return { role: roleName, member: dataSource?.alias ?? dataSource?.name };
}
