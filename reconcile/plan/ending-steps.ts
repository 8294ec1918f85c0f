import type { Absent } from '../model/desired.ts';
import type { Step } from '../model/step.ts';
import { subjectOfKind, subjectOfMembership } from '../operations/subjects.ts';
import { actOf, isOfMembership, subjectId, subjectOf } from '../operations/table.ts';
import type { View } from '../view/view.ts';

/** The steps by which what deleted definitions have ends: calls of its own, or those that take it along. */
export class EndingSteps {
  /** By what they delete, or by the membership that they change. */
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  readonly #view: View;

  constructor(steps: readonly Step[], view: View) {
    const ending = steps.filter((step) => isOfMembership(step) || actOf(step) === 'delete');
    this.#steps = Map.groupBy(ending, (step) => `${subjectOf(step)} ${subjectId(step)}`);
    this.#view = view;
  }

  of(absent: Absent): Step[] {
    return this.#keysOf(absent).flatMap((key) => this.#steps.get(key) ?? []);
  }

  #keysOf(absent: Absent): string[] {
    if (absent.kind === 'RoleMembership') {
      const { role, member } = absent;
      return [
        `${subjectOfMembership[member.kind]} ${role}/${member.id}`,
        `role ${role}`,
        `${subjectOfKind[member.kind]} ${member.id}`,
      ];
    }
    const subject = `${subjectOfKind[absent.kind]} ${absent.id}`;
    const permission = absent.kind === 'Permission' ? this.#view.peek('permissions')?.byId.get(absent.id) : undefined;
    if (permission === undefined) return [subject];
    return [subject, `person ${permission.person.id}`, `data_source ${permission.dataSource.id}`];
  }
}
