import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { orderedPlan, type Plan, printableJson, writePrintableJson } from '@rolecall/reconcile';
import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { hostile, planOf, step, variedPlan } from './plans.ts';

const renderJson = (plan: Plan): string => printableJson(orderedPlan(plan));

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

  it('is written piece by piece as it would be in one', () => {
    const texts = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('\u2028', '\u{e0041}', '\u0085'));
    const optional = fc.record({ here: fc.jsonValue(), absent: fc.constant(undefined) });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(texts, texts), optional), (value) => {
        assert.equal(piecesOf(value).join(''), printableJson(value));
      }),
      { numRuns: propertyRuns({ quick: 100, all: 3000 }) },
    );
  });

  it('is never one string as a whole when it is written', () => {
    const plan = planOf({ steps: Array.from({ length: 20_000 }, () => step('change', 'Person/ada', 'locks ada')) });
    const pieces = piecesOf(plan);
    assert.ok(Math.max(...pieces.map(({ length }) => length)) < 70_000);
    assert.equal(pieces.join(''), printableJson(plan));
  });
});

function piecesOf(value: unknown): string[] {
  const pieces: string[] = [];
  writePrintableJson(value, (piece) => pieces.push(piece));
  return pieces;
}
