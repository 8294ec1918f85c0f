import { type DesiredObject, exactCollections } from '@rolecall/reconcile';
import fc from 'fast-check';
import { dataSource, permission, person, role, snippet } from '../support.ts';
import type { Transition } from './crash.ts';

/** Few names, so that two states overlap a lot. */
const usernames = ['ada', 'grace', 'linus'];
const aliases = ['billing', 'stock'];
const roleNames = ['analysts', 'support'];
const windows = ['2090-01-01T00:00:00.000Z', '2091-01-01T00:00:00.000Z'];

const some = <T>(all: readonly T[]) => fc.subarray([...all]);

const people = (present: readonly string[]) =>
  fc.tuple(
    ...present.map((name) =>
      fc.record({ locked: fc.boolean(), married: fc.boolean() }).map(({ locked, married }) =>
        person(name, {
          locked,
          email: `${name}@${married ? 'new' : 'old'}.example`,
          replaceAllowed: true,
        }),
      ),
    ),
  );

const roles = (present: readonly string[], members: readonly string[], sources: readonly string[]) =>
  fc.tuple(
    ...present.map((name) =>
      fc.record({ people: some(members), dataSources: some(sources) }).map((lists) => role(name, lists)),
    ),
  );

const permissions = (members: readonly string[], sources: readonly string[]) =>
  some(
    members.flatMap((name) =>
      sources.flatMap((alias) =>
        windows.map((expiresAt, index) => permission(name, alias, { expiresAt, name: `${name}-${alias}-${index}` })),
      ),
    ),
  );

const snippets = (owners: readonly string[]) =>
  fc.tuple(
    ...owners.map((username) =>
      fc
        .constantFrom('select 1', 'select 2')
        .map((text) => snippet('Mine', { name: `mine-${username}`, text, owner: { kind: 'Person', username } })),
    ),
  );

/** Definitions of every kind in which every reference is declared. */
const state: fc.Arbitrary<DesiredObject[]> = fc
  .record({ members: some(usernames), sources: some(aliases), names: some(roleNames) })
  .chain(({ members, sources, names }) =>
    fc.tuple(
      people(members),
      fc.constant(sources.map((alias) => dataSource(alias))),
      roles(names, members, sources),
      permissions(members, sources),
      some(members).chain(snippets),
    ),
  )
  .map((sets) => sets.flat());

/** From any state to any other, with all collections exact or none. */
export const generatedTransition: fc.Arbitrary<Transition> = fc
  .record({ before: state, after: state, isExact: fc.boolean() })
  .map(({ before, after, isExact }) => ({
    before,
    after: () => after,
    more: { exact: isExact ? exactCollections : [], rails: { maxRemovalPercent: 100, minimumCollection: 1 } },
    // An address that changes is a person who is replaced.
    replaced: usernames.filter((name) => emailOf(before, name) !== emailOf(after, name)),
  }));

function emailOf(objects: readonly DesiredObject[], username: string): string | undefined {
  return objects.flatMap((object) => (object.kind === 'Person' && object.username === username ? object.email : []))[0];
}
