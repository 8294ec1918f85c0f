import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Palette, plainPalette, renderText, type Step } from '@rolecall/reconcile';
import { differs } from '../../../reconcile/model/step.ts';
import { hostile, planOf, step, variedPlan } from './plans.ts';

describe('a plan as text', () => {
  it('groups by object, marks what is done, and says what and why', () => {
    assert.equal(
      renderText(variedPlan),
      `Workspace team (https://workspace.example.com)

  + Person/ada: create ada (Ada Lovelace, ada@team.example)
  + Role/analysts
      + create the role analysts
      + add ada to analysts
  ~ Role/support
      - remove grace from support  # in the role, and not declared
  ~ DataSource/billing: change the data source billing  # differs from what is declared
          host: old.internal -> new.internal
          password: (none) -> secret 1a2b3c4d
  ~ Snippet/totals: add a version to the snippet Totals  # differs from what is declared
          text, from line 2 of 3:
            - from a
            + from c
-/+ Permission/eve: end the grant  # the window changed
  - Permission/7: revoke the grant  # not declared

Note: Permission/old is over, and kept for the record.

Plan: 2 to create, 2 to change, 1 to grant, 1 to replace, 2 to revoke or remove (8 calls). It ends 1 permission and takes 1 member out of roles.`,
    );
  });

  it('says the only change of an edit in the line of its object', () => {
    const name = { field: 'name', from: 'Ada Byron', to: 'Ada\u001bKing' };
    const edit = (changes: Step['changes'], reason = differs) =>
      renderText(
        planOf({
          steps: [
            step('change', 'Person/ada', 'edit ada', {
              operation: 'updatePerson',
              ...(changes && { changes }),
              reason,
            }),
          ],
        }),
      ).split('\n')[2];
    assert.equal(edit([name]), String.raw`  ~ Person/ada: name "Ada\u{1b}King" instead of "Ada Byron"`);
    assert.equal(edit([name, name]), '  ~ Person/ada: edit ada  # differs from what is declared');
    assert.equal(edit([name], 'people exchange names'), '  ~ Person/ada: edit ada  # people exchange names');
    assert.equal(edit([{ ...name, to: 'a'.repeat(61) }]), '  ~ Person/ada: edit ada  # differs from what is declared');
    assert.equal(edit([{ ...name, from: null }]), '  ~ Person/ada: edit ada  # differs from what is declared');
  });

  it('says when there is nothing to do, and what was compared', () => {
    assert.match(renderText(planOf()), /\n\nNo changes\. The workspace matches the 3 definitions compared\.$/);
    assert.match(renderText(planOf({ compared: { Person: 1 } })), /matches the 1 definition compared\.$/);
  });

  it('shows what objects that are only observed would need, apart from what is done', () => {
    const text = renderText(planOf({ observed: [step('change', 'Person/ada', 'lock ada')] }));
    assert.match(text, /Only observed: what follows differs, and is not written\.\n {2}~ Person\/ada: lock ada/);
    assert.match(text, /\nNo changes\. What differs is only observed\.$/);
  });

  it('shows refusals with their remedy, and how to override them where that is possible', () => {
    const refusals = [
      {
        rail: 'protected' as const,
        objects: ['Person/ada'],
        places: ['people.yaml:3'],
        message: 'it is',
        remedy: 'put it back',
        override: 'protected:Person/ada',
      },
      { rail: 'ambiguous' as const, objects: ['Person/eve'], message: 'two of them', remedy: 'delete one' },
    ];
    const text = renderText(planOf({ refusals }), { describeOverride: (token) => `--override ${token}` });
    assert.equal(
      text.split('\n\n').slice(1).join('\n\n'),
      `Refused (protected): it is.
  Declared at: people.yaml:3
  Remedy: put it back.
  Override: --override protected:Person/ada

Refused (ambiguous): two of them.
  Remedy: delete one.

The plan is refused for 2 reasons: nothing of it can run.`,
    );
  });

  it('shortens long texts to the part that differs', () => {
    const common = 'x'.repeat(200);
    const changes = [
      { field: 'description', from: `${common}old`, to: `${common}new${common}` },
      { field: 'text', from: 'one\ntwo', to: 'one\ntwo\nthree' },
      { field: 'name', from: '', to: ' padded ' },
    ];
    const text = renderText(planOf({ steps: [step('change', 'Snippet/s', 'change', { changes })] }));
    assert.ok(
      text.includes(
        `description:\n            - …${'x'.repeat(20)}old\n            + …${'x'.repeat(20)}new${'x'.repeat(57)}…\n`,
      ),
    );
    assert.ok(text.includes('text, from line 3 of 3:\n            + three\n'));
    assert.ok(text.includes('name: "" -> " padded "'));
  });

  it('cuts no character in half', () => {
    const changes = [{ field: 'text', from: '😀'.repeat(100), to: `${'😀'.repeat(99)}😎` }];
    assert.doesNotMatch(renderText(planOf({ steps: [step('change', 'Snippet/s', 'change', { changes })] })), /\\u/);
  });

  it('lets nothing from a definition or the service act on the terminal, wherever it stands', () => {
    const everywhere = planOf({
      workspace: { url: hostile, name: hostile },
      steps: [
        step('change', `Person/${hostile}`, hostile, {
          reason: hostile,
          changes: [
            { field: hostile, from: hostile, to: null },
            { field: 'text', from: `x${hostile}`.repeat(40), to: hostile },
          ],
        }),
        step('change', `Person/${hostile}`, hostile),
      ],
      observed: [step('create', `Person/${hostile}`, hostile)],
      refusals: [{ rail: 'protected', objects: [hostile], message: hostile, remedy: hostile, override: hostile }],
      notes: [{ object: hostile, message: hostile }],
    });
    const text = renderText(everywhere);
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    // No line of its own either: each begins as the rendering begins it.
    assert.ok(text.split('\n').every((line) => !/^[befg]/.test(line)));
    assert.ok(text.includes('a\\u{1b}]0;owned\\u{7}b\\u{9b}31mc\\u{202e}d\\u{2028}e\\nf\\rg'));
  });

  it('paints with what it is given, and only marks, names, reasons and sums', () => {
    const palette: Palette = {
      ...plainPalette,
      create: (text) => `<c>${text}</c>`,
      remove: (text) => `<r>${text}</r>`,
    };
    const text = renderText(variedPlan, { palette });
    assert.match(text, /<c> {2}\+<\/c> Person\/ada/);
    assert.match(text, /<r>- from a<\/r>/);
    assert.equal(text.replaceAll(/<\/?[cr]>/g, ''), renderText(variedPlan));
  });
});
