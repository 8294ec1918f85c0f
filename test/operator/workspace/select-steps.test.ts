import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '@rolecall/reconcile';
import { selectSteps } from '../../../operator/workspace/select-steps.ts';

const step = (name: string, after: string[] = [], effect: Step['effect'] = 'create'): Step => ({
  ...{ id: name, operation: 'unlockPerson', params: { person: name }, object: { kind: 'Person', name } },
  ...{ summary: `create ${name}`, reason: 'missing', effect, after },
});
const none = (): boolean => false;
const is =
  (...names: string[]) =>
  (label: string): boolean =>
    names.includes(label.replace('Person/', ''));
const idsOf = ({ steps }: { steps: readonly Step[] }): string[] => steps.map(({ id }) => id);

describe('the steps of a plan that run now', () => {
  it('are all of them, where nothing failed and they are few', () => {
    const all = [step('a'), step('b', ['a'])];
    const nothing = { waiting: new Map(), backingOff: new Set(), later: new Set() };
    assert.deepEqual(selectSteps({ steps: all }, none, none), { steps: all, ...nothing });
  });

  it('leave out what backs off after a failure, and all that waits for it', () => {
    const all = [step('a'), step('b', ['a']), step('c', ['b']), step('d')];
    const selected = selectSteps({ steps: all }, is('a'), none);
    assert.deepEqual(idsOf(selected), ['d']);
    assert.deepEqual([...selected.backingOff], ['Person/a']);
    assert.deepEqual(
      [...selected.waiting],
      [
        ['Person/b', 'Person/a'],
        ['Person/c', 'Person/a'],
      ],
    );
  });

  it('make no bridge that another back-off keeps from being ended, nor what waits for it', () => {
    const bridge: Step = {
      ...{ ...step('bridge', [], 'replace'), makes: 'Bridge 1 2' },
      ...{ operation: 'createPermission', params: { person: '1', dataSource: '2' }, body: { duration: 3600 } },
    };
    const end: Step = {
      ...{ ...step('bridge', ['bridge', 'grant'], 'replace'), id: 'end', body: undefined as never },
      ...{ operation: 'deletePermission', params: { permission: { ref: 'Bridge 1 2' } } },
    };
    const all = [bridge, step('removal', ['bridge']), step('grant'), end, step('d')];
    const selected = selectSteps({ steps: all }, is('grant'), none);
    assert.deepEqual(idsOf(selected), ['d']);
    assert.equal(selected.waiting.get('Person/removal'), 'Person/grant');
    assert.deepEqual(
      idsOf(selectSteps({ steps: all }, none, none)),
      all.map(({ id }) => id),
    );
  });

  it('are those of new objects first where there are many, with what these wait for', () => {
    const all = [step('a'), step('b'), step('c'), step('new', ['c'])];
    const selected = selectSteps({ steps: all }, none, is('new'), 2);
    assert.deepEqual(idsOf(selected), ['new', 'c']);
    assert.deepEqual([...selected.later], ['Person/a', 'Person/b']);
  });
});
