import { isTaking } from '../model/access-operations.ts';
import { holds } from '../model/membership-window.ts';
import { idOf, type Step, windowsOf } from '../model/step.ts';
import { type AccessFacts, grantState } from '../view/access.ts';
import type { View } from '../view/view.ts';

/** The steps of a run that take access away, by what they take it from: a refusal about that holds up these and no others. */
export class TakingSteps {
  readonly #steps: readonly Step[];
  readonly #before: AccessFacts;
  readonly #view: View;
  readonly #now: Date;

  constructor(steps: readonly Step[], before: AccessFacts, view: View, now: Date) {
    this.#steps = steps.filter(isTaking);
    this.#before = before;
    this.#view = view;
    this.#now = now;
  }

  all(): string[] {
    return this.#steps.map(({ id }) => id);
  }

  /** The steps that end a permission, by itself or with its person or data source. */
  fromPermissions(): string[] {
    const permitted = this.#before.permissions.filter((one) => grantState(one, this.#now) !== 'past');
    return this.#idsOf({
      people: new Set(permitted.map(({ person }) => person)),
      dataSources: new Set(permitted.map(({ dataSource }) => dataSource)),
      permissions: new Set(permitted.map(({ key }) => key)),
    });
  }

  /** The steps that take a data source from someone: out of a role, a role or permission of theirs, or all that they reach. */
  fromDataSource(dataSource: string): string[] {
    const roles = this.#before.roles.filter(({ dataSources }) => dataSources.some(({ key }) => key === dataSource));
    const permitted = this.#before.permissions.filter((one) => one.dataSource === dataSource);
    const people = [
      ...roles.flatMap((role) => role.people.map(({ key }) => key)),
      ...permitted.map((one) => one.person),
    ];
    return this.#idsOf({
      roles: new Set(roles.map(({ key }) => key)),
      people: new Set(people),
      dataSources: new Set([dataSource]),
      permissions: new Set(permitted.map(({ key }) => key)),
    });
  }

  /** The steps that take someone out of a role, or lock or delete them. */
  fromRole(role: string): string[] {
    const members = this.#before.roles.find(({ key }) => key === role)?.people ?? [];
    return this.#idsOf({ roles: new Set([role]), people: new Set(members.map(({ key }) => key)) });
  }

  #idsOf(taken: Taken): string[] {
    return this.#steps.filter((step) => this.#takes(step, taken)).map(({ id }) => id);
  }

  /** A step that counts as a loss and is not found here runs although a rail refuses it. */
  #takes(step: Step, { roles = none, people, dataSources = none, permissions = none }: Taken): boolean {
    const { role, person, dataSource, permission } = step.params;
    switch (step.operation) {
      case 'removeRolePerson':
      case 'deleteRole':
        return roles.has(idOf(role));
      case 'setRolePersonWindows':
        return roles.has(idOf(role)) && !holds(windowsOf(step), this.#now);
      case 'removeRoleDataSource':
        return roles.has(idOf(role)) && dataSources.has(idOf(dataSource));
      case 'lockPerson':
      case 'deletePerson':
        // A locked person loses nothing by being deleted.
        return people.has(idOf(person)) && this.#view.peek('people')?.byId.get(idOf(person))?.isLocked !== true;
      case 'deleteDataSource':
        return dataSources.has(idOf(dataSource));
      default:
        return permissions.has(idOf(permission));
    }
  }
}

/** From what steps take access: the keys of these in the facts. */
interface Taken {
  readonly people: ReadonlySet<string>;
  readonly roles?: ReadonlySet<string>;
  readonly dataSources?: ReadonlySet<string>;
  readonly permissions?: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();
