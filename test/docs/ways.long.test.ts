import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { countCommands, startTrial } from './ways.ts';

const served = /The workspace is at/;

describe('the three ways in that docs/first-steps.md shows', () => {
  it('are nine commands each at most, besides those that run until Ctrl-C', () => {
    for (const way of ['command line', 'terraform', 'kubernetes']) {
      assert.ok(countCommands('key', way) <= 9, way);
    }
  });

  it('lead from nothing to who reaches what, by the command line', async () => {
    await using trial = await startTrial();
    await trial.start('service', served);
    const printed = await trial.run('key', 'command line');
    assert.match(printed, /Applied: 8 calls/);
    assert.match(printed, /^ada +warehouse +role analysts/m);
    assert.match(printed, /2 people reach 2 data sources\.\s*$/);
  });

  it('lead from nothing to objects that are ready, in Kubernetes', requires('kubernetes', 'kubectl'), async () => {
    await using trial = await startTrial();
    await Promise.all([trial.start('service', served), trial.start('cluster', /Ctrl-C stops it and removes/)]);
    await trial.start('operator', /Ctrl-C stops it/);
    const printed = await trial.run('key', 'kubernetes');
    assert.match(printed, /^permission\.rolecall\.dev\/kay-ledger-close .*Active .*True/m);
    assert.match(printed, /^role\.rolecall\.dev\/auditors .*True +Converged/m);
    // Both after one another, and the command line finds its own as it was.
    assert.match(await trial.run('key', 'command line'), /Applied: 8 calls/);
    assert.match(await trial.run('key', 'command line'), /^No changes\./m);
  });
});
