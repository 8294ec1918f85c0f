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

  const issuesOf = (schema: z.ZodType, value: unknown): readonly { readonly path: readonly PropertyKey[] }[] =>
    checkAnswer(schema, value).error?.issues ?? [];

  it('reports the first mistakes only, where they are', () => {
    const wrong = issuesOf(list, [...right(1_500), ...Array<number>(200_000).fill(1)]);
    assert.deepEqual(wrong[0]?.path, [1_500]);
    assert.ok(wrong.length <= 1_000);
    const people = [...right(1_200), { id: 1 }];
    assert.deepEqual(
      issuesOf(snapshot, { people, roles: [], count: 1 }).map(({ path }) => path),
      [['people', 1_200, 'id']],
    );
    const snippets = Array<number>(200_000).fill(1);
    const optional = issuesOf(snapshot, { people: [], roles: [], snippets, count: 1 });
    assert.ok(optional.length > 0 && optional.length <= 1_000);
    assert.deepEqual(issuesOf(snapshot, { people: right(2_000), roles: [], count: 'x' })[0]?.path, ['count']);
  });
});
