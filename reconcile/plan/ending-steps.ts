import type { Absent } from '../model/desired.ts';
import { idOf, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';

/** The parameter of a call that has the id of an object of a kind. */
const parameters = {
  Person: 'person',
  Role: 'role',
  DataSource: 'dataSource',
  Permission: 'permission',
  Snippet: 'snippet',
} as const;

/** The steps by which what deleted definitions have ends: calls of its own, or those that take it along. */
export class EndingSteps {
  /** By what they delete, or by the membership that they change. */
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  readonly #view: View;

  constructor(steps: readonly Step[], view: View) {
    const keyed = steps.flatMap((step) => keysOf(step).map((key) => [key, step] as const));
    this.#steps = new Map(
      [...Map.groupBy(keyed, ([key]) => key)].map(([key, all]) => [key, all.map(([, step]) => step)]),
    );
    this.#view = view;
  }

  of(absent: Absent): Step[] {
    return this.#keysOf(absent).flatMap((key) => this.#steps.get(key) ?? []);
  }

  #keysOf(absent: Absent): string[] {
    if (absent.kind === 'RoleMembership') {
      const { role, member } = absent;
      const parameter = parameters[member.kind];
      return [`role ${role} ${parameter} ${member.id}`, `role ${role}`, `${parameter} ${member.id}`];
    }
    const own = `${parameters[absent.kind]} ${absent.id}`;
    const permission = absent.kind === 'Permission' ? this.#view.peek('permissions')?.byId.get(absent.id) : undefined;
    if (permission === undefined) return [own];
    return [own, `person ${permission.person.id}`, `dataSource ${permission.dataSource.id}`];
  }
}

function keysOf({ operation, params }: Step): string[] {
  const keys = Object.entries(params).map(([name, value]) => `${name} ${idOf(value)}`);
  if (operation.startsWith('delete')) return keys;
  const { role, ...member } = params;
  const [[parameter, id] = []] = Object.entries(member);
  return role === undefined || parameter === undefined ? [] : [`role ${idOf(role)} ${parameter} ${idOf(id)}`];
}
