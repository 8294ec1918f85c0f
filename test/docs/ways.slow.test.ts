import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { find, requires } from '../support/databases/parts.ts';
import { startTrial } from './ways.ts';

describe('the way in by Terraform that docs/first-steps.md shows', requires('terraform'), () => {
  it('leads from nothing to who reaches what', async () => {
    await using trial = await startTrial({ terraform: find('terraform'), home: 'home' });
    await trial.start('service', /The workspace is at/);
    const printed = await trial.run('key', 'terraform');
    assert.match(printed, /Apply complete! Resources: 11 added/);
    assert.match(printed, /^alan +reports +role reporting/m);
    assert.match(printed, /2 people reach 1 data source\.\s*$/);
    // The command line has what is its own beside it, and finds that as it was.
    assert.match(await trial.run('key', 'command line'), /Applied: 8 calls/);
    assert.match(await trial.run('key', 'command line'), /^No changes\./m);
  });
});
