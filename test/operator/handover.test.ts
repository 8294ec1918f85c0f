import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KindName } from '@rolecall/crds';
import { catchUp, createUnseen, handOver } from '../../operator/handover.ts';
import type { CustomObject } from '../../operator/resources/custom-object.ts';
import { Cache } from '../../operator/runtime/cache.ts';
import { fakeClock } from './support/fake-clock.ts';

const person = (name: string, resourceVersion: string): CustomObject => ({
  kind: 'Person',
  metadata: {
    ...{ name, namespace: 'team', uid: name, resourceVersion },
    generation: 1,
    creationTimestamp: '2026-12-01T00:00:00Z',
  },
  spec: {},
  status: {},
});

function follower(version?: string) {
  const people = new Cache<CustomObject>(() => undefined);
  if (version !== undefined) people.list().end(version);
  const caches = new Map<KindName, Cache<CustomObject>>([['Person', people]]);
  return { people, caches };
}

async function outcome(
  caches: ReturnType<typeof follower>['caches'],
  handover: Record<string, string> | undefined,
  meanwhile: () => void = () => undefined,
): Promise<boolean> {
  const clock = fakeClock();
  const caughtUp = catchUp(caches, handover, clock, new AbortController().signal);
  await clock.advance(500);
  meanwhile();
  await clock.advance(10_000);
  return caughtUp;
}

describe('what a leader hands over', () => {
  it('is the newest version that it knows: of a list, an event, a deletion or its own write', () => {
    const { people, caches } = follower('10');
    const handed = () => handOver(caches, createUnseen())?.['Person'];
    assert.equal(handed(), '10');
    people.changed(person('ada', '11'));
    assert.equal(handed(), '11');
    people.wrote(person('ada', '12'));
    assert.equal(handed(), '12');
    people.deleted(person('ada', '13'));
    assert.equal(handed(), '13');
    // It brings no change of the collection: a follower need not have had the same bookmark.
    people.reached('20');
    assert.equal(handed(), '13');
  });

  it('is nothing while it does not know that itself', () => {
    assert.equal(handOver(follower().caches, createUnseen()), undefined, 'nothing was listed');
    const { caches } = follower('10');
    const unanswered = createUnseen();
    unanswered.unanswered();
    assert.equal(handOver(caches, unanswered), undefined, 'a write may have been done');
    const removed = createUnseen();
    removed.removed('ada');
    assert.equal(handOver(caches, removed), undefined, 'the answer has no version at which it is gone');
    removed.gone('ada');
    assert.deepEqual(handOver(caches, removed), { Person: '10' });
  });
});

describe('who leads next', () => {
  it('goes on with what it followed once it has seen as much: by a list, an event or a bookmark', async () => {
    assert.equal(await outcome(follower('10').caches, { Person: '10' }), true);
    for (const how of ['changed', 'deleted'] as const) {
      const { people, caches } = follower('9');
      assert.equal(
        await outcome(caches, { Person: '10' }, () => {
          people[how](person('ada', '10'));
        }),
        true,
      );
    }
    const { people, caches } = follower('9');
    assert.equal(
      await outcome(caches, { Person: '10' }, () => {
        people.reached('11');
      }),
      true,
    );
  });

  it('lists anew where it does not come to that, or no one told it', async () => {
    assert.equal(await outcome(follower('10').caches, undefined), false);
    assert.equal(await outcome(follower('9').caches, { Person: '10' }), false);
    assert.equal(await outcome(follower('10').caches, { Person: 'ten' }), false);
    assert.equal(await outcome(follower('10').caches, { Gone: '10' }), false, 'a kind of which it does not know');
    const { people, caches } = follower('9');
    assert.equal(
      await outcome(caches, { Person: '10' }, () => {
        people.wrote(person('ada', '11'));
      }),
      false,
      'what it wrote itself is no event',
    );
  });
});
