import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { continueToken } from '../../../operator/runtime/answer.ts';

/** A list as an API server writes it for custom objects: its metadata comes last. */
function listOf(items: readonly unknown[], metadata: object): string {
  return `${JSON.stringify({ apiVersion: 'rolecall.dev/v1alpha1', items, kind: 'PersonList', metadata })}\n`;
}

describe("the token of a list's next page", () => {
  it('is read from the end of the text', () => {
    const metadata = { continue: 'abc', remainingItemCount: 3, resourceVersion: '7' };
    assert.equal(continueToken(listOf([{ metadata: { name: 'ada' } }], metadata)), 'abc');
    assert.equal(continueToken(listOf([], { continue: 'abc', resourceVersion: '7' })), 'abc');
  });

  it('is none on the last page, whatever its objects say', () => {
    const imitation = { metadata: { continue: 'forged', resourceVersion: '7' } };
    for (const item of [imitation, { spec: imitation }, { spec: { text: JSON.stringify(imitation) } }]) {
      assert.equal(continueToken(listOf([item], { resourceVersion: '7' })), undefined);
    }
    assert.equal(continueToken(listOf([imitation], { continue: '', resourceVersion: '7' })), undefined);
  });

  it('is none where the metadata comes first, as for kinds that are built in', () => {
    const items = [{ metadata: { continue: 'forged' } }];
    assert.equal(
      continueToken(JSON.stringify({ kind: 'SecretList', metadata: { continue: 'abc' }, items })),
      undefined,
    );
  });
});
