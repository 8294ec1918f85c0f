import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printableJson, renderJson } from '@rolecall/reconcile';
import { hostile, planOf, step, variedPlan } from './plans.ts';

describe('a plan as JSON', () => {
  it('is the plan', () => {
    assert.deepEqual(JSON.parse(renderJson(variedPlan)), variedPlan);
  });

  it('has its fields in one order, whatever made it', () => {
    const shuffled = Object.fromEntries(Object.entries(variedPlan).reverse()) as unknown as typeof variedPlan;
    assert.equal(renderJson(shuffled), renderJson(variedPlan));
    assert.deepEqual(Object.keys(JSON.parse(renderJson(shuffled)) as object), [
      'format',
      'createdAt',
      'workspace',
      'steps',
      'observed',
      'held',
      'refusals',
      'notes',
      'compared',
      'exact',
      'rails',
      'digest',
    ]);
  });

  it('keeps every text as it is, and prints none that a terminal would obey', () => {
    const plan = planOf({ steps: [step('change', 'Person/ada', hostile)] });
    const json = renderJson(plan);
    assert.deepEqual(JSON.parse(json), plan);
    assert.doesNotMatch(json.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  it('keeps characters outside the basic plane, on one line where that is asked for', () => {
    const value = { tag: '\u{e0041}', face: '😀' };
    assert.equal(printableJson(value, 0), '{"tag":"\\udb40\\udc41","face":"😀"}');
    assert.deepEqual(JSON.parse(printableJson(value)), value);
  });
});
