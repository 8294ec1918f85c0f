import type { Access, AccessGrant } from '@rolecall/api';
import { describeDenial } from '../../access/describe-denial.ts';
import type { SourceAccess } from '../../access/gate.ts';
import type { ListedGrant } from '../../access/person-access.ts';
import type { PersonHandlers, PersonServices } from '../handler.ts';
import { notReached } from '../owned.ts';

export const accessHandlers = {
  listMyAccess: async (_request, { gate, gatewayAddress }, { person }) => {
    const { readAt, sources, isComplete } = await gate.reachAll(person.id);
    return {
      readAt: toIso(readAt),
      dataSources: sources.map((source) => showAccess(source, readAt, gatewayAddress)),
      isComplete,
    };
  },

  getMyAccess: async ({ params }, { gate, gatewayAddress }, { person }) => {
    const { readAt, sources } = await gate.reachAll(person.id, params.dataSource);
    const [source] = sources;
    if (source === undefined) throw notReached(params.dataSource);
    return showAccess(source, readAt, gatewayAddress);
  },
} satisfies Partial<PersonHandlers>;

function showAccess(
  { source, grants, reach }: SourceAccess,
  at: number,
  gatewayAddress: PersonServices['gatewayAddress'],
): Access {
  const show = (some: readonly ListedGrant[]) => some.map(showGrant);
  const isOver = !reach.allowed && reach.reason !== 'not_granted';
  return {
    dataSource: source,
    allowed: reach.allowed,
    until: reach.allowed && reach.until !== Infinity ? toIso(reach.until) : null,
    detail: isOver ? describeDenial(reach, source) : null,
    gateway: gatewayAddress(source.type),
    through: show(grants.filter(({ from, until }) => from <= at && at < until)),
    upcoming: show(grants.filter(({ from, until }) => at < from && from < until)),
    ended: show(grants.filter(({ from, until }) => from < until && until <= at)),
  };
}

function showGrant({ through, id, name, startsAt, until, managedBy }: ListedGrant): AccessGrant {
  return {
    through,
    id,
    name: through === 'role' ? name : null,
    startsAt,
    expiresAt: until === Infinity ? null : toIso(until),
    managedBy,
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
