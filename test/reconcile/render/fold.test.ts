import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown, renderText, type Step } from '@rolecall/reconcile';
import { planOf, step } from './plans.ts';

const many = (count: number, effect: Step['effect'], kind: string): Step[] =>
  Array.from({ length: count }, (_, index) => step(effect, `${kind}/n${index}`, `${effect} ${kind} n${index}`));

const unfold = '--verbose lists each';

describe('a large plan', () => {
  it('folds what is made in the same way, with its number, at the place of the first', () => {
    const steps = [
      step('change', 'Role/a', 'change a'),
      ...many(312, 'create', 'Person'),
      step('grant', 'Role/z', 'fill z'),
    ];
    const lines = renderText(planOf({ steps }), { unfold }).split('\n');
    assert.match(lines[2] ?? '', /Role\/a: change a/);
    assert.match(lines[3] ?? '', /^ {2}\+ 312 people: n0, n1, .* and 300 more {2}# --verbose lists each$/);
    assert.match(lines[4] ?? '', /Role\/z$/);
    const markdown = renderMarkdown(planOf({ steps }));
    assert.match(markdown, /^\| \+ \| 312 people: `n0`, .* and 300 more \|/m);
    assert.match(markdown, /create Person n311/, 'each call stands in the list of calls');
  });

  it('lists two hundred of what takes access away, counts the rest, and says how to see it', () => {
    for (const effect of ['revoke', 'remove', 'replace', 'change'] as const) {
      const text = renderText(planOf({ steps: many(212, effect, 'Permission') }), { unfold });
      assert.match(text, new RegExp(`Permission/n199: ${effect} Permission n199`));
      assert.doesNotMatch(text, /Permission\/n200/);
      assert.match(text, /12 more permissions, in the same way: n200, .*n211 {2}# --verbose lists each/);
    }
  });

  it('does not fold a loss in among what is given', () => {
    const mixed = many(30, 'create', 'Role').flatMap((made, index) =>
      index === 17 ? [made, step('revoke', 'Role/n17', 'take eve out of n17')] : [made],
    );
    assert.match(renderText(planOf({ steps: mixed }), { unfold }), /take eve out of n17/);
    const undeclared = many(30, 'create', 'Role').map((each, index) =>
      index === 3 ? { ...each, object: { ...each.object, undeclared: true as const } } : each,
    );
    assert.match(renderText(planOf({ steps: undeclared }), { unfold }), /Role\/n3 \(undeclared\): create/);
  });

  it('lists everything where that is asked for, and no name acts on the terminal', () => {
    const steps = [...many(30, 'create', 'Person'), step('create', 'Person/\u001b[31m', 'create it')];
    assert.match(renderText(planOf({ steps })), /Person\/n29: create Person n29/);
    assert.match(renderMarkdown(planOf({ steps }), { unfolded: true }), /`Person\/n29`/);
    assert.ok(!renderText(planOf({ steps: steps.toReversed() }), { unfold }).includes('\u001b'));
  });
});
