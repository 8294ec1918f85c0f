import { holds } from '../model/membership-window.ts';
import { idOf, type Parameter, type Step } from '../model/step.ts';
import { isTaking, operationOf, subjectId, subjectOf, windowsOf } from '../operations/table.ts';
import { type AccessFacts, grantState } from '../view/access.ts';
import type { View } from '../view/view.ts';

/** The steps of a run that take access away, by what they take it from: a refusal about that holds up these and no others. */
export class TakingSteps {
  readonly #steps: readonly Step[];
  readonly #before: AccessFacts;
  readonly #view: View;
  readonly #now: Date;

  constructor(steps: readonly Step[], facts: AccessFacts, view: View, now: Date) {
    this.#steps = steps.filter(isTaking);
    this.#before = facts;
    this.#view = view;
    this.#now = now;
  }

  all(): string[] {
    return this.#steps.map(({ id }) => id);
  }

  /** The steps that end a permission, by itself or with its person or data source. */
  fromPermissions(): string[] {
    const permitted = this.#before.permissions.filter((permission) => grantState(permission, this.#now) !== 'past');
    return this.#idsOf({
      person: new Set(permitted.map(({ person }) => person)),
      dataSource: new Set(permitted.map(({ dataSource }) => dataSource)),
      permission: new Set(permitted.map(({ key }) => key)),
    });
  }

  /** The steps that take a data source from someone: out of a role, a role or permission of theirs, or all that they reach. */
  fromDataSource(dataSource: string): string[] {
    const roles = this.#before.roles.filter(({ dataSources }) => dataSources.some(({ key }) => key === dataSource));
    const permitted = this.#before.permissions.filter((permission) => permission.dataSource === dataSource);
    const people = [
      ...roles.flatMap((role) => role.people.map(({ key }) => key)),
      ...permitted.map((permission) => permission.person),
    ];
    return this.#idsOf({
      role: new Set(roles.map(({ key }) => key)),
      person: new Set(people),
      dataSource: new Set([dataSource]),
      permission: new Set(permitted.map(({ key }) => key)),
    });
  }

  /** The steps that take someone out of a role, or lock or delete them. */
  fromRole(role: string): string[] {
    const members = this.#before.roles.find(({ key }) => key === role)?.people ?? [];
    return this.#idsOf({ role: new Set([role]), person: new Set(members.map(({ key }) => key)) });
  }

  #idsOf(taken: Taken): string[] {
    return this.#steps.filter((step) => this.#takes(step, taken)).map(({ id }) => id);
  }

  /** A step that counts as a loss and is not found here runs although a rail refuses it. */
  #takes(step: Step, taken: Taken): boolean {
    const windows = windowsOf(step);
    if (windows !== undefined && holds(windows, this.#now)) return false;
    // A locked person loses nothing by being deleted.
    if (subjectOf(step) === 'person' && this.#view.peek('people')?.byId.get(subjectId(step))?.isLocked === true)
      return false;
    return operationOf(step).access.takesFrom.every((end) => taken[end]?.has(idOf(step.params[end])) === true);
  }
}

/** From what steps take access: the keys of these in the facts, by the parameter that names them. */
type Taken = Partial<Record<Parameter, ReadonlySet<string>>>;
