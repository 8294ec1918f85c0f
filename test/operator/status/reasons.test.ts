import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasons } from '@rolecall/operator';
import { type Refusal, railNames } from '@rolecall/reconcile';
import { refused } from '../../../operator/status/outcomes.ts';
import { generatedFiles } from '../../../tools/pages/operator-reasons.ts';

describe('the reasons of conditions', () => {
  it('are in the table of docs/operator.md, each with what it means', () => {
    const [page = ''] = generatedFiles().values();
    const named = [...page.matchAll(/^\| `([A-Z]\w+)` \| (.+) \| .*\|$/gm)].map(([, name, meaning]) => [name, meaning]);
    assert.deepEqual(
      named,
      Object.entries(reasons).map(([name, { meaning }]) => [name, meaning]),
    );
  });

  it('name each rail that is about an object, in a sentence that begins with the word Rail', () => {
    const refusal: Omit<Refusal, 'rail'> = { objects: [], message: 'no', remedy: 'do not' };
    const ofRails = new Set(railNames.map((rail) => refused([{ ...refusal, rail }]).reason));
    const documented = Object.entries(reasons).filter(([, { meaning }]) => meaning.startsWith('Rail:'));
    // To a reader, a missing reference is no rail: the object waits.
    const expected = [...documented.map(([name]) => name), 'MissingReference', 'Refused'];
    assert.deepEqual([...ofRails].toSorted(), expected.toSorted());
  });
});
