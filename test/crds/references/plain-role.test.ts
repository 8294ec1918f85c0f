import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReferenceIndex, type Definition, type DefinitionOf, plainRole } from '@rolecall/crds';
import fc from 'fast-check';
import { define } from '../support.ts';

const source = (name: string, labels: Readonly<Record<string, string>>, spec: object = {}, namespace?: string) =>
  define('DataSource', name, { uri: `sqlite:///srv/${name}.db`, ...spec }, namespace, labels);
const selecting = (matchLabels: Readonly<Record<string, string>>, more: object = {}) =>
  define('Role', 'r', { dataSourceSelector: { matchLabels }, ...more });
const reached = (role: DefinitionOf<'Role'>, ...definitions: Definition[]) => {
  const index = createReferenceIndex([role, ...definitions]);
  return plainRole(role, index).spec.dataSources?.map((name) => index.resolve('DataSource', name, role).naturalKey);
};

describe('a role that selects data sources by label', () => {
  it('has those with all of the labels, beside those that it lists, each once', () => {
    const sources = [
      source('a', { tier: 'gold', region: 'eu' }),
      source('b', { tier: 'gold' }, { alias: 'b-live' }),
      source('c', { tier: 'gold', region: 'us' }),
      source('d', {}),
    ];
    assert.deepEqual(reached(selecting({ tier: 'gold' }), ...sources), ['a', 'b-live', 'c']);
    assert.deepEqual(reached(selecting({ tier: 'gold', region: 'eu' }), ...sources), ['a']);
    assert.deepEqual(reached(selecting({ tier: 'gold' }, { dataSources: ['d', 'b-live'] }), ...sources), [
      ...['d', 'b-live'],
      ...['a', 'c'],
    ]);
    assert.deepEqual(reached(selecting({ tier: 'none' }), ...sources), []);
  });

  it('stays as it is without a selector', () => {
    const role = define('Role', 'r', { dataSources: ['x'] });
    assert.equal(plainRole(role, createReferenceIndex([role, source('a', {})])), role);
  });

  it('selects within its workspace, and tells data sources of one name apart', () => {
    const workspaces = [define('Workspace', 'production', {}), define('Workspace', 'staging', {})];
    const gold = { tier: 'gold' };
    const role = selecting(gold, { workspaceRef: 'production' });
    const [here, there] = [
      source('a', gold, { workspaceRef: 'production' }),
      source('b', gold, { workspaceRef: 'staging' }),
    ];
    assert.deepEqual(reached(role, ...workspaces, here, there), ['a']);
    const [one, other] = [source('same', gold, { alias: 'one' }, 'x'), source('same', gold, { alias: 'other' }, 'y')];
    assert.deepEqual(reached(selecting(gold), one, other)?.toSorted(), ['one', 'other']);
  });

  it('comes to the same in every order of the definitions, and once it is plain', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), { noNullPrototype: true });
    const selector = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), {
      minKeys: 1,
      noNullPrototype: true,
    });
    const listed = fc.uniqueArray(fc.nat(9), { maxLength: 4 });
    const cases = fc.record({ all: fc.array(labels, { maxLength: 8 }), selector, listed }).chain((drawn) => {
      const sources = drawn.all.map((each, index) => source(`d${index}`, each));
      const role = selecting(drawn.selector, { dataSources: drawn.listed.map((index) => `d${index}`) });
      const shuffled = fc.shuffledSubarray(sources, { minLength: sources.length });
      return shuffled.map((order) => ({ ...drawn, role, sources, order }));
    });
    fc.assert(
      fc.property(cases, ({ all, selector: wanted, listed: own, role, sources, order }) => {
        const index = createReferenceIndex([role, ...sources]);
        const plain = plainRole(role, index);
        assert.deepEqual(plainRole(role, createReferenceIndex([...order, role])), plain);
        assert.equal(plainRole(plain, index), plain);
        const matching = all.flatMap((has, at) =>
          Object.entries(wanted).every(([key, value]) => has[key] === value) ? [`d${at}`] : [],
        );
        const expected = new Set([...own.map((at) => `d${at}`), ...matching]);
        assert.deepEqual(plain.spec.dataSources?.toSorted(), [...expected].toSorted());
      }),
    );
  });
});
