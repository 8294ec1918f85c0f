import { isTaking } from '../model/access-operations.ts';
import { idOf, type Step } from '../model/step.ts';
import type { StepOperation } from '../model/step-names.ts';
import type { AccessFacts } from '../view/access.ts';
import type { View } from '../view/view.ts';

/** The steps of a run that take access away, by what they take it from: a refusal about that holds up these and no others. */
export class TakingSteps {
  readonly #steps: readonly Step[];
  readonly #before: AccessFacts;
  readonly #view: View;

  constructor(steps: readonly Step[], before: AccessFacts, view: View) {
    this.#steps = steps.filter(isTaking);
    this.#before = before;
    this.#view = view;
  }

  all(): string[] {
    return this.#steps.map(({ id }) => id);
  }

  of(operation: StepOperation): string[] {
    return this.#steps.filter((step) => step.operation === operation).map(({ id }) => id);
  }

  /** The steps that take a data source from someone: out of a role, a role or permission of theirs, or all that they reach. */
  fromDataSource(dataSource: string): string[] {
    const roles = this.#before.roles.filter(({ dataSources }) => dataSources.some(({ key }) => key === dataSource));
    const permitted = this.#before.permissions.filter((one) => one.dataSource === dataSource);
    const permissions = new Set(permitted.map(({ key }) => key));
    const people = new Set([
      ...roles.flatMap((role) => role.people.map(({ key }) => key)),
      ...permitted.map(({ person }) => person),
    ]);
    return this.#idsOf(new Set(roles.map(({ key }) => key)), people, ({ operation, params }) =>
      operation === 'removeRoleDataSource'
        ? idOf(params['dataSource']) === dataSource
        : permissions.has(idOf(params['permission'])),
    );
  }

  /** The steps that take someone out of a role, or lock or delete them. */
  fromRole(role: string): string[] {
    const members = this.#before.roles.find(({ key }) => key === role)?.people ?? [];
    return this.#idsOf(new Set([role]), new Set(members.map(({ key }) => key)), () => false);
  }

  #idsOf(roles: ReadonlySet<string>, people: ReadonlySet<string>, isOther: (step: Step) => boolean): string[] {
    const isHeld = (step: Step): boolean => {
      const [role, person] = [idOf(step.params['role']), idOf(step.params['person'])];
      if (step.operation === 'removeRolePerson' || step.operation === 'deleteRole') return roles.has(role);
      if (step.operation === 'lockPerson' || step.operation === 'deletePerson') {
        // A locked person loses nothing by being deleted.
        return people.has(person) && this.#view.peek('people')?.byId.get(person)?.isLocked !== true;
      }
      return isOther(step);
    };
    return this.#steps.filter(isHeld).map(({ id }) => id);
  }
}
