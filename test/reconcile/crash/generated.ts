import { type ExactCollection, exactCollections } from '@rolecall/crds';
import { type DesiredObject, type DesiredOf } from '@rolecall/reconcile';
import fc from 'fast-check';
import { dataSource, membership, permission, person, role, snippet } from '../support.ts';
import type { Transition } from './crash.ts';

/** Few names, so that two states overlap a lot. */
const usernames = ['ada', 'grace', 'linus'];
const aliases = ['billing', 'stock'];
const roleNames = ['analysts', 'support'];
const windows = ['2090-01-01T00:00:00.000Z', '2091-01-01T00:00:00.000Z'];

const some = <T>(all: readonly T[]) => fc.subarray([...all]);
/** Nearly all: what is in both states is what must not be interrupted. */
const most = <T>(all: readonly T[]) => fc.subarray([...all], { minLength: all.length - 1 });
const seldom = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

const people = (present: readonly string[]) =>
  fc.tuple(
    ...present.map((name) =>
      fc.record({ locked: seldom, married: seldom }).map(({ locked, married }) =>
        person(name, {
          locked,
          email: `${name}@${married ? 'new' : 'old'}.example`,
        }),
      ),
    ),
  );

/** Roles that list their people or leave them alone, and memberships that are objects of their own. */
const roles = (present: readonly string[], members: readonly string[], sources: readonly string[]) =>
  fc
    .tuple(
      ...present.map((name) =>
        fc
          .record({
            people: fc.option(some(members)),
            dataSources: fc.option(some(sources)),
            besides: fc.subarray([...members], { maxLength: 1 }),
          })
          .map(({ people, dataSources, besides }): DesiredObject[] => [
            role(name, { ...(dataSources && { dataSources }), ...(people && { people }) }),
            ...besides.map((username) => membership(name, username)),
          ]),
      ),
    )
    .map((sets) => sets.flat());

const dataSources = (present: readonly string[]) =>
  fc.tuple(
    ...present.map((alias) =>
      fc.record({ isRenamed: fc.boolean(), isMoved: fc.boolean() }).map(({ isRenamed, isMoved }) =>
        dataSource(alias, {
          ...(isRenamed ? { displayName: `${alias} (production)` } : {}),
          ...(isMoved ? { uri: `postgresql://reader@new.internal:5432/${alias}` } : {}),
        }),
      ),
    ),
  );

/** Few: where everybody has a permission too, no one is seen to lose access by anything else. */
const permissions = (members: readonly string[], sources: readonly string[]) =>
  fc.subarray(
    members.flatMap((name) =>
      sources.flatMap((alias) =>
        windows.map((expiresAt, index) => permission(name, alias, { expiresAt, name: `${name}-${alias}-${index}` })),
      ),
    ),
    { maxLength: 2 },
  );

type Owner = NonNullable<DesiredOf<'Snippet'>['owner']>;

const snippets = (owners: readonly Owner[]) =>
  fc.tuple(
    ...owners.map((owner) =>
      fc
        .record({
          text: fc.constantFrom('select 1', 'select 2'),
          locked: fc.boolean(),
          publicAccessLevel: fc.constantFrom('none' as const, 'read_only' as const),
        })
        .map((fields) => snippet('Mine', { name: `mine-${JSON.stringify(owner)}`, owner, ...fields })),
    ),
  );

const ownersOf = (members: readonly string[], names: readonly string[]): Owner[] => [
  ...members.map((username) => ({ kind: 'Person' as const, username })),
  ...names.map((name) => ({ kind: 'Role' as const, role: name })),
];

/** Definitions of every kind in which every reference is declared. */
const state: fc.Arbitrary<DesiredObject[]> = fc
  .record({ members: most(usernames), sources: most(aliases), names: most(roleNames) })
  .chain(({ members, sources, names }) =>
    fc.tuple(
      people(members),
      dataSources(sources),
      roles(names, members, sources),
      permissions(members, sources),
      some(ownersOf(members, names)).chain(snippets),
    ),
  )
  .map((sets) => sets.flat());

/** From any state to any other, with all collections exact, memberships only, or none. */
export const generatedTransition: fc.Arbitrary<Transition> = fc
  .record({
    before: state,
    after: state,
    exact: fc.constantFrom<ExactCollection[]>([], ['memberships'], [...exactCollections]),
  })
  .map(({ before, after, exact }) => ({
    before,
    after: () => after,
    more: {
      exact,
      rails: { maxRemovalPercent: 100, minimumRemoval: 1 },
    },
  }));
