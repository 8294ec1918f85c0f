import type { Step } from '../model/step.ts';
import type { Facts } from '../operations/facts.ts';
import { operationOf } from '../operations/table.ts';
import type { AccessFacts } from './access.ts';

/** The facts as they are once every step has run. What is yet to be made has the name of its reference as its key. */
export function afterSteps(factsBefore: AccessFacts, steps: readonly Step[]): AccessFacts {
  const facts = open(factsBefore);
  for (const step of steps) operationOf(step).outcome(facts, step);
  return {
    people: [...facts.people.values()],
    dataSources: [...facts.dataSources.values()],
    roles: [...facts.roles].map(([key, { name, people, dataSources }]) => ({
      key,
      name,
      people: [...people].map(([member, windows]) => ({ key: member, ...(windows && { windows }) })),
      dataSources: [...dataSources].map((member) => ({ key: member })),
    })),
    permissions: [...facts.permissions.values()].filter(({ person }) => !facts.gone.has(person)),
  };
}

function open({ people, dataSources, roles, permissions }: AccessFacts): Facts {
  return {
    people: new Map(people.map((person) => [person.key, person])),
    dataSources: new Map(dataSources.map((dataSource) => [dataSource.key, dataSource])),
    roles: new Map(
      roles.map(({ key, name, people: members, dataSources: reached }) => [
        key,
        {
          name,
          people: new Map(members.map(({ key: member, windows }) => [member, windows])),
          dataSources: new Set(reached.map(keyOf)),
        },
      ]),
    ),
    permissions: new Map(permissions.map((permission) => [permission.key, permission])),
    gone: new Set(),
  };
}

const keyOf = ({ key }: { key: string }): string => key;
