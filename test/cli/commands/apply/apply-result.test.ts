import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Converged, plainPalette, type Step } from '@rolecall/reconcile';
import { convergedDocument, describeConverged } from '../../../../cli/commands/apply/apply-result.ts';

const step = (index: number): Step => ({
  id: `createPerson:${index}`,
  operation: 'createPerson',
  params: {},
  body: { username: `p${index}`, name: `P${index}`, email: `p${index}@team.example` },
  object: { kind: 'Person', name: `p${index}` },
  summary: `create p${index}`,
  reason: 'declared, and not there',
  effect: 'create',
  after: [],
});

describe('what came of an apply', () => {
  const steps = Array.from({ length: 1000 }, (_, index) => step(index));
  const converged: Converged = {
    done: [],
    failed: steps.map((one) => ({ step: one, error: new Error('no'), ambiguous: false })),
    notRun: steps.map((one, index) => ({ step: one, because: index < 15 ? 'one thing' : 'another thing' })),
  };

  it('shows twenty of a long list and says how many more there are', () => {
    const text = describeConverged(converged, 'failed', 1, plainPalette);
    const [failed = '', notRun = ''] = text.split('Not run:');
    assert.equal(failed.match(/\(Person\/p/g)?.length, 20);
    assert.match(failed, /\n {2}and 980 more, which --format json lists\n/);
    assert.equal(notRun.match(/\(Person\/p/g)?.length, 20);
    assert.match(
      notRun,
      /because one thing:\n(?: {4}.*\n){15} {2}because another thing:\n(?: {4}.*\n){5} {2}and 980 more, which --format json lists\n/,
    );
    assert.match(text, /0 of 2000 calls done, 1000 failed, 1000 not run/);
  });

  it('has all of it as JSON', () => {
    const document = convergedDocument(converged);
    assert.deepEqual([document.failed.length, document.notRun.length], [1000, 1000]);
  });
});
