import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenRule, emailRules, nameRules, newPerson, newSnippet, snippetBounds, textRules } from '@rolecall/api';
import fc from 'fast-check';

const half = '\ud83d';
const text = textRules(snippetBounds.text);

/** A rule, the schema that the service has for it, a text, and what is wrong with the text. */
const cases = [
  [nameRules, newPerson.shape.name, 'Ada Lovelace', undefined],
  [nameRules, newPerson.shape.name, '', /one line of text, not empty/],
  [nameRules, newPerson.shape.name, 'a\nb', /one line of text/],
  [nameRules, newPerson.shape.name, '  ', /only blanks/],
  [nameRules, newPerson.shape.name, half, /half of a surrogate pair/],
  [nameRules, newPerson.shape.name, '😀'.repeat(255), undefined],
  [nameRules, newPerson.shape.name, '😀'.repeat(256), /at most 255 characters/],
  [nameRules, newPerson.shape.name, 'Zoë', undefined],
  [nameRules, newPerson.shape.name, 'Zoe\u0308', /composed form/],
  [nameRules, newPerson.shape.name, 'ada\u200b', /invisible/],
  [nameRules, newPerson.shape.name, 'a\u200dda', /invisible/],
  [nameRules, newPerson.shape.name, '\u202eada', /invisible/],
  [nameRules, newPerson.shape.name, 'a\u00adda', /invisible/],
  [nameRules, newPerson.shape.name, 'ad\u3164a', /invisible/],
  [nameRules, newPerson.shape.name, 'علی\u200cرضا', undefined],
  [nameRules, newPerson.shape.name, 'Team ❤️ 👩\u200d💻', undefined],
  [nameRules, newPerson.shape.name, 'Ada 1\ufe0f', /invisible/],
  // Separators, blanks that are no spaces, no characters, marks of annotations, tags, controls.
  ...[
    '\u2028',
    '\u2029',
    '\u2800',
    '\ufdd0',
    '\uffff',
    '\u{1fffe}',
    '\ufff9',
    '\ufffc',
    '\u{e0041}',
    '\u0085',
    '\u{1d159}',
  ].map((character) => [nameRules, newPerson.shape.name, `ada${character}x`, /invisible/] as const),
  [nameRules, newPerson.shape.name, 'あ\ufe0f', /invisible/],
  [nameRules, newPerson.shape.name, 'علی\u200c\u200cرضا', /invisible/],
  [nameRules, newPerson.shape.name, '👩\u200d', /invisible/],
  [nameRules, newPerson.shape.name, 'Team 1\ufe0f\u20e3 👩🏽\u200d💻 ❤\ufe0f\u200d🔥', undefined],
  [emailRules, newPerson.shape.email, 'ada@example.com', undefined],
  [emailRules, newPerson.shape.email, 'ada@münchen.example', undefined],
  [emailRules, newPerson.shape.email, 'ä@example.com', /no letters outside ASCII before the @/],
  [emailRules, newPerson.shape.email, 'ada@mün\u200bchen.example', /e-mail address/],
  [emailRules, newPerson.shape.email, 'ada@ｅxample.com', /e-mail address/],
  [emailRules, newPerson.shape.email, 'ada@münchen.example/x', /e-mail address/],
  [emailRules, newPerson.shape.email, `ada@${'ü.'.repeat(60)}de`, /at most 254 characters/],
  [emailRules, newPerson.shape.email, 'ada', /e-mail address such as ada@example\.com/],
  [emailRules, newPerson.shape.email, `ada@${'a.'.repeat(124)}de`, undefined],
  [emailRules, newPerson.shape.email, `ada@${'a.'.repeat(124)}def`, /at most 254 characters/],
  [textRules(snippetBounds.description), newSnippet.shape.description, '', undefined],
  [text, newSnippet.shape.text, 'select 1\n', undefined],
  [text, newSnippet.shape.text, '', /not be empty/],
  [text, newSnippet.shape.text, 'a\u0000', /NUL/],
  [text, newSnippet.shape.text, 'a'.repeat(200_001), /at most 200000 characters/],
] as const;

describe('the rules of texts', () => {
  it('say what is wrong with a text, as the schema made of them does', () => {
    for (const [rules, schema, value, expected] of cases) {
      const message = brokenRule(rules, value);
      if (expected === undefined) assert.equal(message, undefined, value.slice(0, 20));
      else assert.match(message ?? '', expected);
      assert.equal(schema.safeParse(value).error?.issues[0]?.message, message);
    }
  });

  it('make one address of the ways to write a domain', () => {
    for (const domain of ['münchen.example', 'MÜNCHEN.example', 'xn--mnchen-3ya.example']) {
      assert.equal(newPerson.shape.email.parse(`Ada@${domain}`), 'Ada@xn--mnchen-3ya.example');
    }
  });

  it('take and refuse what the schema does', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\u0000', half, '😀', '@', '.', '\u0301', '\u200b', '\u200d', 'ع'),
      maxLength: 300,
    });
    fc.assert(
      fc.property(letters, (value) => {
        for (const [rules, schema] of cases) {
          assert.equal(schema.safeParse(value).success, brokenRule(rules, value) === undefined);
        }
      }),
    );
  });
});
