import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { checkAnswer } from '../../../api/client/check-answer.ts';

const entry = z.object({ id: z.string() });
const list = z.array(entry);
const snapshot = z.object({ people: list, roles: list, snippets: list.optional(), count: z.number() });
const right = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `${index}`, extra: index }));

describe('an answer that is checked list by list', () => {
  it('is the same as if it were checked at once', () => {
    for (const value of [right(3), right(2_500), 'text', null, [1]])
      assert.deepEqual(checkAnswer(list, value).data, list.safeParse(value).data);
    const whole = { people: right(2_500), roles: right(2), count: 1, extra: 1 };
    assert.deepEqual(checkAnswer(snapshot, whole).data, snapshot.parse(whole));
  });

  it('reports the first mistakes only, where they are', () => {
    const wrong = checkAnswer(list, [...right(1_500), ...Array<number>(200_000).fill(1)]);
    assert.equal(wrong.error?.issues[0]?.path.join('.'), '1500');
    assert.ok((wrong.error?.issues.length ?? 0) <= 1_000);
    const people = [...right(1_200), { id: 1 }];
    const inField = checkAnswer(snapshot, { people, roles: [], count: 1 });
    assert.deepEqual(
      inField.error?.issues.map(({ path }) => path.join('.')),
      ['people.1200.id'],
    );
    const snippets = Array<number>(200_000).fill(1);
    const optional = checkAnswer(snapshot, { people: [], roles: [], snippets, count: 1 });
    assert.ok((optional.error?.issues.length ?? 0) <= 1_000);
    assert.equal(
      checkAnswer(snapshot, { people: right(2_000), roles: [], count: 'x' }).error?.issues[0]?.path[0],
      'count',
    );
  });
});
