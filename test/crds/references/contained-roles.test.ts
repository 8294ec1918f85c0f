import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReferenceIndex, type Definition, type DefinitionOf, plainRole } from '@rolecall/crds';
import fc from 'fast-check';
import { define } from '../support.ts';

const role = (name: string, spec: object, namespace?: string) => define('Role', name, spec, namespace);
const reached = (of: DefinitionOf<'Role'>, ...definitions: Definition[]) => {
  const index = createReferenceIndex([of, ...definitions]);
  return plainRole(of, index).spec.dataSources?.map((name) => index.resolve('DataSource', name, of).naturalKey);
};

describe('a role that contains roles', () => {
  it('gives what they give by their lists, selectors, memberships and the roles within them', () => {
    const gold = define('DataSource', 'g', { uri: 'sqlite:///srv/g.db' }, undefined, { tier: 'gold' });
    const live = define('DataSource', 'l', { alias: 'l-live', uri: 'sqlite:///srv/l.db' });
    const a = role('a', { dataSources: ['own'], roles: ['b', 'C'] });
    const b = role('b', { dataSources: ['l', 'own'], dataSourceSelector: { matchLabels: { tier: 'gold' } } });
    const c = role('c', { name: 'C', roles: ['d'] });
    const added = define('RoleMembership', 'm', { role: 'D', dataSource: 'l-live' });
    const other = define('RoleMembership', 'n', { role: 'D', dataSource: 'z' });
    const d = role('d', { name: 'D' });
    assert.deepEqual(reached(a, b, c, d, added, other, gold, live), ['own', 'g', 'l-live', 'z']);
  });

  it('has none of their people, and keeps its own and what else it says', () => {
    const a = role('a', { people: ['ada'], roles: ['b'], reason: 'why' });
    const b = role('b', { people: ['bob'], dataSources: ['x'], owner: 'them' });
    const plain = plainRole(
      a,
      createReferenceIndex([a, b, define('RoleMembership', 'm', { role: 'b', person: 'eve' })]),
    );
    const { roles: _contained, ...rest } = a.spec;
    assert.deepEqual(plain, { ...a, spec: { ...rest, dataSources: ['x'] } });
    const open = role('a', { roles: ['b'] });
    assert.equal(plainRole(open, createReferenceIndex([open, b])).spec.people, undefined);
  });

  it('contains the role of its workspace and namespace, and means its data sources', () => {
    const workspaces = [define('Workspace', 'production', {}), define('Workspace', 'staging', {})];
    const a = role('a', { roles: ['b'], workspaceRef: 'production' }, 'x');
    const of = (workspaceRef: string, namespace: string, source: string) => [
      role('b', { dataSources: ['same'], name: `${namespace}-b`, workspaceRef }, namespace),
      define('DataSource', 'same', { alias: source, uri: 'sqlite:///srv/s.db', workspaceRef }, namespace),
    ];
    const all = [...of('staging', 'x', 'staged'), ...of('production', 'y', 'far'), ...of('production', 'x', 'near')];
    assert.deepEqual(reached(a, ...workspaces, ...all), ['near']);
    const other = role('a', { roles: ['y-b'], workspaceRef: 'production' }, 'x');
    assert.deepEqual(reached(other, ...workspaces, ...all), ['far']);
  });

  it('comes to what a closure over all edges comes to, in every order, also where roles contain each other', () => {
    const size = 8;
    const node = fc.record({
      own: fc.uniqueArray(fc.nat(6), { maxLength: 3 }),
      contained: fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }),
      byAlias: fc.boolean(),
    });
    const cases = fc.array(node, { minLength: size, maxLength: size }).chain((nodes) =>
      fc.record({
        nodes: fc.constant(nodes),
        order: fc.shuffledSubarray([...nodes.keys()], { minLength: size }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ nodes, order }) => {
        const roles = nodes.map(({ own, contained }, at) =>
          role(`r${at}`, {
            name: `R${at}`,
            dataSources: own.map((each) => `d${each}`),
            roles: contained.map((to) => (nodes[to]?.byAlias === true ? `R${to}` : `r${to}`)),
          }),
        );
        const index = createReferenceIndex(order.flatMap((at) => roles[at] ?? []));
        const reach = nodes.map((_, from) => nodes.map((_each, to) => nodes[from]?.contained.includes(to) === true));
        for (const via of nodes.keys())
          for (const from of reach)
            if (from[via] === true) for (const to of nodes.keys()) from[to] ||= reach[via]?.[to] === true;
        for (const [at, each] of roles.entries()) {
          const all = nodes.flatMap(({ own }, to) => (to === at || reach[at]?.[to] === true ? own : []));
          const plain = plainRole(each, index);
          const { dataSources = [] } = plain.spec;
          assert.deepEqual(dataSources.toSorted(), [...new Set(all.map((one) => `d${one}`))].toSorted());
          assert.equal(plainRole(plain, index), plain);
        }
      }),
    );
  });

  it('stays in bounds with roles that contain each other in every way', () => {
    const names = Array.from({ length: 100 }, (_, at) => `r${at}`);
    const roles = names.map((name) => role(name, { dataSources: [name], roles: names.filter((one) => one !== name) }));
    const index = createReferenceIndex(roles);
    for (const each of roles) assert.equal(plainRole(each, index).spec.dataSources?.length, 100);
  });
});
