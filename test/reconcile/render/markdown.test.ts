import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Plan, renderMarkdown } from '@rolecall/reconcile';
import { hostile, planOf, step, variedPlan } from './plans.ts';

/** Splits a row as GitHub does: at pipes that no backslash escapes. */
const cellsOf = (row: string): string[] => row.split(/(?<!\\)(?:\\\\)*\|/).slice(1, -1);

describe('a plan as Markdown', () => {
  it('tells first who gains or loses access, then the objects, then the calls, folded', () => {
    const ways = [{ role: 'analysts' }];
    const access = [
      { person: 'ada', dataSource: 'billing', effect: 'gains' as const, before: [], after: ways },
      { person: 'grace', dataSource: 'billing', effect: 'loses' as const, before: ways, after: [] },
    ];
    assert.equal(
      renderMarkdown({ ...variedPlan, access }),
      `### Rolecall plan

Workspace \`team\` (\`https://workspace.example.com\`)

**Plan: 2 to create, 2 to change, 1 to grant, 1 to replace, 2 to revoke or remove (8 calls). It ends 1 permission and takes 1 member out of roles.**

#### Access

- \`ada\` gains \`billing\` through \`analysts\`
- \`grace\` loses \`billing\` (through \`analysts\`)

#### Objects

|  | object | change |
| --- | --- | --- |
| + | \`Person/ada\` | \`create ada (Ada Lovelace, ada@team.example)\` |
| + | \`Role/analysts\` | 2 calls |
| ~ | \`Role/support\` | \`remove grace from support\` |
| ~ | \`DataSource/billing\` | \`change the data source billing\`<br>\`host: old.internal -> new.internal\`<br>\`password: (none) -> secret 1a2b3c4d\` |
| ~ | \`Snippet/totals\` | \`add a version to the snippet Totals\`<br>\`text, from line 2 of 3:\`<br>\`- from a\`<br>\`+ from c\` |
| -/+ | \`Permission/eve\` | \`end the grant\` |
| - | \`Permission/7\` | \`revoke the grant\` |

- \`Permission/old\` \`is over, and kept for the record\`

<details>
<summary>8 calls, in order</summary>

|  | call | object | why |
| --- | --- | --- | --- |
| + | \`create ada (Ada Lovelace, ada@team.example)\` | \`Person/ada\` | \`declared, and missing\` |
| + | \`create the role analysts\` | \`Role/analysts\` | \`declared, and missing\` |
| + | \`add ada to analysts\` | \`Role/analysts\` | \`declared, and missing\` |
| - | \`remove grace from support\` | \`Role/support\` | \`in the role, and not declared\` |
| ~ | \`change the data source billing\` | \`DataSource/billing\` | \`differs from what is declared\` |
| ~ | \`add a version to the snippet Totals\` | \`Snippet/totals\` | \`differs from what is declared\` |
| -/+ | \`end the grant\` | \`Permission/eve\` | \`the window changed\` |
| - | \`revoke the grant\` | \`Permission/7\` | \`not declared\` |

</details>`,
    );
  });

  it('says the only change of an edit in the row of its object', () => {
    const changes = [{ field: 'name', from: 'Ada Byron', to: 'Ada King' }];
    const edit = step('change', 'Person/ada', 'edit ada', { operation: 'updatePerson', changes });
    assert.match(
      renderMarkdown(planOf({ steps: [edit] })),
      /\n\| ~ \| `Person\/ada` \| `name "Ada King" instead of "Ada Byron"` \|\n/,
    );
  });

  it('says so where no one gains or loses access', () => {
    const steps = variedPlan.steps.filter(({ effect }) => effect !== 'replace');
    assert.match(renderMarkdown({ ...variedPlan, steps, access: [] }), /#### Access\n\nAccess does not change\.\n/);
  });

  it('has a row for every call, however many there are, where it may be that long', () => {
    const markdown = renderMarkdown(largePlan(3000), { limit: 1_000_000 });
    assert.equal(markdown.split('\n').filter((line) => line.startsWith('| + | `create p')).length, 3000);
    assert.doesNotMatch(markdown, /left out/);
  });

  it('stays below the limit of a comment, and says how many lines it left out and how to see them', () => {
    for (const people of [100, 500, 1000, 5000]) {
      for (const limit of [65_536, 20_000, 3000]) {
        const markdown = renderMarkdown(largePlan(people), { limit, whole: 'rolecall show plan.json', unfolded: true });
        assert.ok(markdown.length <= limit, `${people} people: ${markdown.length} of ${limit}`);
        const lines = (pattern: RegExp): number => markdown.split('\n').filter((line) => pattern.test(line)).length;
        const left = [
          ...markdown.matchAll(/\*\*(\d+) lines? left out here: `rolecall show plan\.json` shows them all/g),
        ];
        // An object and a call for each person, and a line of access for every fifty.
        const told = left.reduce((sum, [, number]) => sum + Number(number), 0);
        const shown = lines(/^\| \+ \|/) + lines(/^- .* gain/);
        assert.equal(shown + told, 2 * people + Math.ceil(people / 50));
        assert.match(markdown, /^### Rolecall plan\n[^]*\*\*Plan: \d+ to create/);
        assert.equal(lines(/^<details>$/), lines(/^<\/details>$/));
      }
    }
  });

  it('gives up the calls before the objects, and the objects before who gains access', () => {
    const markdown = renderMarkdown(largePlan(1000), { limit: 40_000, unfolded: true });
    assert.equal(markdown.split('\n').filter((line) => / gain /.test(line)).length, 20);
    assert.equal(markdown.split('\n').filter((line) => line.startsWith('| + | `create p')).length, 0);
    assert.ok(markdown.split('\n').some((line) => line.startsWith('| + | `Person/p')));
  });

  it('shows refusals with their remedy and token', () => {
    const refusals = [
      {
        rail: 'protected' as const,
        objects: [],
        places: ['a.yaml:1', 'b.yaml:2'],
        message: 'it is',
        remedy: 'put it back',
        override: 'protected:Person/ada',
      },
    ];
    assert.match(
      renderMarkdown(planOf({ refusals })),
      /- \*\*Refused\*\* \(protected\): `it is`\. Declared at: `a\.yaml:1, b\.yaml:2`\. Remedy: `put it back`\. Override: `protected:Person\/ada`\./,
    );
  });

  it('lets no text leave its code span or its cell', () => {
    const texts = [
      'a | b',
      'a `` ` b',
      '`',
      'a\\| b',
      '\\\\|',
      '<img src=x onerror=alert(1)>',
      '@everyone #1',
      hostile,
      '',
    ];
    for (const text of texts) {
      const access = [
        { person: text, dataSource: text, effect: 'gains' as const, before: [], after: [{ role: text }] },
      ];
      const markdown = renderMarkdown(
        planOf({ steps: [step('change', `Person/${text}`, text, { reason: text })], access }),
      );
      const rows = markdown.split('\n').filter((line) => line.startsWith('| ~'));
      assert.deepEqual(
        rows.map((row) => cellsOf(row).length),
        [3, 4],
      );
      const spans = [
        ...rows.flatMap((row) => cellsOf(row).slice(1)),
        ...(/^- (.*) gains (.*) through (.*)$/m.exec(markdown) ?? assert.fail(markdown)).slice(1),
      ];
      for (const span of spans.map((cell) => cell.trim())) {
        const fence = /^`+/.exec(span)?.[0] ?? '';
        assert.ok(span.endsWith(fence) && fence !== '', span);
        const inside = span.slice(fence.length, -fence.length);
        assert.ok(!new RegExp(`(?<!\`)${fence}(?!\`)`).test(inside), span);
      }
      assert.equal(markdown.split('\n').filter((line) => line.startsWith('|')).length, 6);
    }
  });
});

/** So many people are made, and gain the same by one role. */
function largePlan(people: number): Plan {
  const names = Array.from({ length: people }, (_, index) => `p${index}`);
  return planOf({
    steps: names.map((name) => step('create', `Person/${name}`, `create ${name}`)),
    access: names.map((person) => ({
      person,
      dataSource: 'billing',
      effect: 'gains',
      before: [],
      after: [{ role: 'analysts' }],
    })),
  });
}
