import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anchorText } from '@rolecall/crds';
import fc from 'fast-check';
import { propertyRuns } from '../../support/property-runs.ts';

const now = new Date('2026-12-01T09:00:00Z');
const head = 'apiVersion: rolecall.dev/v1alpha1\nkind: Permission\nmetadata: { name: p }\n';

function anchored(text: string): string {
  const result = anchorText(text, 'a.yaml', now);
  assert.ok('text' in result, JSON.stringify(result));
  return result.text;
}

function problemsOf(text: string) {
  const result = anchorText(text, 'a.yaml', now);
  assert.ok('problems' in result, 'it was edited');
  return result.problems;
}

/** A promise, a spec, and the same spec with its start. */
const styles: readonly (readonly [string, string, string])[] = [
  [
    'in a block, as a line before the duration',
    'spec:\n  person: ada\n  dataSource: billing\n  duration: 8h # a shift\n',
    'spec:\n  person: ada\n  dataSource: billing\n  startsAt: 2026-12-01T09:00:00Z\n  duration: 8h # a shift\n',
  ],
  [
    'above the comment that belongs to the duration',
    'spec:\n    person: ada # who\n    dataSource: billing\n\n    # How long.\n    # No longer.\n    duration: 8h\n',
    'spec:\n    person: ada # who\n    dataSource: billing\n\n    startsAt: 2026-12-01T09:00:00Z\n    # How long.\n    # No longer.\n    duration: 8h\n',
  ],
  [
    'above a comment where the duration comes first',
    'spec: # the window\n  # How long.\n  duration: 8h\n  person: ada\n  dataSource: billing\n',
    'spec: # the window\n  startsAt: 2026-12-01T09:00:00Z\n  # How long.\n  duration: 8h\n  person: ada\n  dataSource: billing\n',
  ],
  [
    'below a text whose last line only looks like a comment',
    'spec:\n  person: ada\n  dataSource: billing\n  reason: >-\n    Ticket\n    # 4711\n  duration: 8h\n',
    'spec:\n  person: ada\n  dataSource: billing\n  reason: >-\n    Ticket\n    # 4711\n  startsAt: 2026-12-01T09:00:00Z\n  duration: 8h\n',
  ],
  [
    'in a flow mapping of one line',
    'spec: {person: ada,  dataSource: billing, duration: 8h}\n',
    'spec: {person: ada,  dataSource: billing, startsAt: 2026-12-01T09:00:00Z, duration: 8h}\n',
  ],
  [
    'in a flow mapping of several lines, as a line of its own',
    'spec: {\n    person: ada,\n    dataSource: billing,\n    # long\n    duration: 8h\n  }\n',
    'spec: {\n    person: ada,\n    dataSource: billing,\n    startsAt: 2026-12-01T09:00:00Z,\n    # long\n    duration: 8h\n  }\n',
  ],
  [
    'with quotation marks where the duration has them',
    'spec: {"person": "ada", "dataSource": "billing", "duration": "8h"}\n',
    'spec: {"person": "ada", "dataSource": "billing", "startsAt": "2026-12-01T09:00:00Z", "duration": "8h"}\n',
  ],
  [
    'before an anchor, a tag or a question mark',
    'spec:\n  person: ada\n  dataSource: billing\n  &d !!str duration: 8h\n',
    'spec:\n  person: ada\n  dataSource: billing\n  startsAt: 2026-12-01T09:00:00Z\n  &d !!str duration: 8h\n',
  ],
  [
    'before an explicit key',
    'spec:\n  person: ada\n  dataSource: billing\n  ? duration\n  : 8h\n',
    'spec:\n  person: ada\n  dataSource: billing\n  startsAt: 2026-12-01T09:00:00Z\n  ? duration\n  : 8h\n',
  ],
  [
    'where nothing ends the last line',
    'spec:\n  person: ada\n  dataSource: billing\n  duration: 28800',
    'spec:\n  person: ada\n  dataSource: billing\n  startsAt: 2026-12-01T09:00:00Z\n  duration: 28800',
  ],
];

describe('anchoring a text', () => {
  for (const [promise, before, after] of styles) {
    it(`writes the start ${promise}`, () => {
      assert.equal(anchored(`${head}${before}`), `${head}${after}`);
    });

    it(`writes the start ${promise}, with the line ends of Windows`, () => {
      const crlf = (text: string) => `${head}${text}`.replaceAll('\n', '\r\n');
      assert.equal(anchored(crlf(before)), crlf(after));
    });
  }

  it('says which permission got which window', () => {
    const result = anchorText(`# first\n---\n${head}${styles[0]![1]}`, 'a.yaml', now);
    assert.deepEqual('anchored' in result && result.anchored, [
      { name: 'p', line: 3, startsAt: '2026-12-01T09:00:00.000Z', expiresAt: '2026-12-01T17:00:00.000Z' },
    ]);
  });

  it('writes into each permission of several documents and lists that has no window, and into nothing else', () => {
    const person =
      'apiVersion: rolecall.dev/v1alpha1\nkind: Person\nmetadata: {name: ada}\nspec: {name: A, email: a@b.de}\n';
    const spec = 'spec: {person: ada, dataSource: billing, duration: 8h}\n';
    const fixed = 'spec: {person: ada, dataSource: billing, startsAt: 2026-01-01T00:00Z, duration: 8h}\n';
    const other = `apiVersion: example.com/v1\nkind: Permission\n${spec}`;
    const item = `- ${`${head}${spec}`.trimEnd().replaceAll('\n', '\n  ')}\n`;
    const list = `apiVersion: v1\nkind: List\nitems:\n${item}${item.replace('name: p', 'name: q').replace('8h', '9h')}`;
    const text = [person, `${head}${spec}`, `${head}${fixed}`, other, list].join('---\n');
    const result = anchorText(text, 'a.yaml', now);
    assert.ok('anchored' in result, JSON.stringify(result));
    assert.equal(result.anchored.length, 3);
    const inserted = 'startsAt: 2026-12-01T09:00:00Z, ';
    assert.equal(result.text.split(inserted).length - 1, 3);
    assert.equal(result.text.replaceAll(inserted, ''), text);
    assert.ok(result.text.includes(other));
  });

  it('is done after the first time', () => {
    for (const [, before] of styles) {
      const once = anchored(`${head}${before}`);
      assert.deepEqual(anchorText(once, 'a.yaml', new Date('2027-01-01T00:00:00Z')), { text: once, anchored: [] });
    }
  });

  it('writes a start of its own where a merge brings the duration', () => {
    const merged = `${head}x: &shift { duration: 8h }\nspec:\n  <<: *shift\n  person: ada\n  dataSource: billing\n`;
    // Only foreign documents may have other fields at the top, so the defaults are annotations' neighbours here.
    const list = `apiVersion: v1\nkind: List\nmetadata: { labels: &shift { duration: 8h } }\nitems:\n- ${`${head}spec:\n  <<: *shift\n  person: ada\n  dataSource: billing`.replaceAll('\n', '\n  ')}\n`;
    assert.equal(problemsOf(merged)[0]?.code, 'field_unknown');
    assert.equal(anchored(list), list.replace('    <<: *shift', '    startsAt: 2026-12-01T09:00:00Z\n    <<: *shift'));
  });

  it('leaves a file alone where the start would reach what is not to have it', () => {
    const list = `apiVersion: v1\nkind: List\nmetadata: { labels: &spec { person: ada, dataSource: billing, duration: 8h } }\nitems:\n- ${`${head}spec: *spec`.replaceAll('\n', '\n  ')}\n`;
    const [problem] = problemsOf(list);
    assert.deepEqual([problem?.file, problem?.line, problem?.path], ['a.yaml', 5, 'spec.duration']);
    assert.match(problem?.remedy ?? '', /by hand/);
  });

  it('leaves a file with an error alone, and says what it is', () => {
    const [problem] = problemsOf(`${head}spec: {person: ada, dataSource: billing, duration: 8 hours}\n`);
    assert.equal(problem?.line, 4);
    const far = anchorText(
      `${head}spec: {person: ada, dataSource: billing, duration: 2w}\n`,
      'a.yaml',
      new Date('9999-12-31T00:00:00Z'),
    );
    assert.match(JSON.stringify(far), /ends after the year 9999/);
  });

  it('only ever adds, whatever the layout', () => {
    const comment = fc.stringMatching(/^[ -~äß€]{0,20}$/).map((text) => ` #${text}`);
    const gap = fc.constantFrom('', ' ', '\n  ', '\n\n    ');
    const field = (name: string, value: string) => fc.constantFrom(`${name}: ${value}`, `"${name}": "${value}"`);
    const fields = fc
      .tuple(field('person', 'ada'), field('dataSource', 'billing'), field('duration', '8h'))
      .chain((all) => fc.shuffledSubarray([...all], { minLength: 3 }));
    const block = fc
      .tuple(
        fields,
        fc.array(fc.option(comment, { nil: '' }), { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([list, comments, indent]) => {
        const pad = ' '.repeat(indent);
        const lines = list.flatMap((each, index) => {
          const above = comments[index + 3] === '' ? [] : [`${pad}${comments[index + 3]?.trim() ?? ''}`];
          return [...above, `${pad}${each}${comments[index] ?? ''}`];
        });
        return `spec:\n${lines.join('\n')}\n`;
      });
    const flow = fc
      .tuple(fields, fc.array(gap, { minLength: 6, maxLength: 6 }))
      .map(
        ([list, gaps]) =>
          `spec: {${list.map((each, index) => `${gaps[index] ?? ''}${each}${gaps[index + 3] ?? ''}`).join(', ')}}\n`,
      );
    fc.assert(
      fc.property(fc.oneof(block, flow), fc.constantFrom('\n', '\r\n'), (spec, lineBreak) => {
        const text = `${head}${spec}`.replaceAll('\n', lineBreak);
        const result = anchorText(text, 'a.yaml', now);
        assert.ok('text' in result, JSON.stringify(result));
        assert.equal(result.anchored.length, 1);
        assert.equal(
          result.text.replace(/"?startsAt"?: "?2026-12-01T09:00:00Z"?/, '').replace(/\s|,/g, ''),
          text.replace(/\s|,/g, ''),
        );
        const lines = new Set(text.split('\n'));
        const added = result.text.split('\n').filter((line) => !lines.has(line));
        assert.equal(added.length, 1, result.text);
      }),
      { numRuns: propertyRuns({ quick: 60, all: 500 }) },
    );
  });
});
