/** How a resource has the members of a role: all of them, or one. */
export type Form = 'list' | 'single';

export type MemberCollection = 'people' | 'dataSources';

/** A membership that one resource of a plan gives up and another one takes. */
export interface Handover {
  readonly from: Form;
  readonly to: Form;
  readonly role: string;
  readonly member: string;
}

/** The members of one role and collection that resources of a plan give up and take, by the form of the resource. */
interface Members {
  readonly givenUp: Readonly<Record<Form, Set<string>>>;
  readonly taken: Readonly<Record<Form, Set<string>>>;
  /** Forms of resources that take a member whose id is not known yet. */
  readonly open: Set<Form>;
}

const forms: readonly Form[] = ['list', 'single'];

/**
 * The memberships that a plan gives up and takes. Terraform plans each resource by itself, and may end what the one gives up before
 * the other one takes it. So whichever is planned later finds the handover.
 */
export class PlannedMembers {
  readonly #members = new Map<string, Members>();

  /** Notes that a resource is destroyed, or has another role or member. @returns a membership that another one takes */
  giveUp(collection: MemberCollection, from: Form, role: string, members: readonly string[]): Handover | undefined {
    const { givenUp, taken, open } = this.#of(collection, role);
    for (const member of members) givenUp[from].add(member);
    for (const to of successorsOf(from)) {
      const member = open.has(to) ? members[0] : members.find((each) => taken[to].has(each));
      if (member !== undefined) return { from, to, role, member };
    }
    return undefined;
  }

  /**
   * Notes that a resource has members after the plan.
   *
   * @param members undefined is one whose id is not known yet: then it may be any
   * @returns a membership that another one gives up
   */
  take(
    collection: MemberCollection,
    to: Form,
    role: string,
    members: readonly (string | undefined)[],
  ): Handover | undefined {
    const { givenUp, taken, open } = this.#of(collection, role);
    for (const member of members) {
      if (member === undefined) open.add(to);
      else taken[to].add(member);
    }
    return first(forms, (from) => {
      if (!successorsOf(from).includes(to)) return undefined;
      const member = members.includes(undefined)
        ? [...givenUp[from]][0]
        : members.find((each) => each !== undefined && givenUp[from].has(each));
      return member === undefined ? undefined : { from, to, role, member };
    });
  }

  /** True if a resource has the membership after the plan. */
  isTaken(collection: MemberCollection, role: string, member: string): boolean {
    const { taken } = this.#of(collection, role);
    return forms.some((form) => taken[form].has(member));
  }

  #of(collection: MemberCollection, role: string): Members {
    const key = `${collection} ${role}`;
    const none = (): Members['taken'] => ({ list: new Set(), single: new Set() });
    const members = this.#members.get(key) ?? { givenUp: none(), taken: none(), open: new Set() };
    this.#members.set(key, members);
    return members;
  }
}

/** Single memberships at two addresses are found by their ids, as all other objects are. */
const successorsOf = (form: Form): readonly Form[] => (form === 'list' ? forms : ['list']);

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
