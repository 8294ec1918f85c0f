import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown } from '@rolecall/reconcile';
import { hostile, planOf, step, variedPlan } from './plans.ts';

/** Splits a row as GitHub does: at pipes that no backslash escapes. */
const cellsOf = (row: string): string[] => row.split(/(?<!\\)(?:\\\\)*\|/).slice(1, -1);

describe('a plan as Markdown', () => {
  it('is a table by object', () => {
    assert.equal(
      renderMarkdown(variedPlan),
      `### Rolecall plan

Workspace \`team\` (\`https://workspace.example.com\`)

**Plan: 2 to create, 2 to change, 1 to grant, 1 to revoke, 1 to replace, 1 to remove (8 calls).**

|  | object | call | why |
| --- | --- | --- | --- |
| + | \`Person/ada\` | \`create ada (Ada Lovelace, ada@team.example)\` | \`declared, and missing\` |
| + | \`Role/analysts\` | \`create the role analysts\` | \`declared, and missing\` |
| + |  | \`add ada to analysts\` | \`declared, and missing\` |
| - | \`Role/support\` | \`remove grace from support\` | \`in the role, and not declared\` |
| ~ | \`DataSource/billing\` | \`change the data source billing\`<br>\`host: old.internal -> new.internal\`<br>\`password: (none) -> secret 1a2b3c4d\` | \`differs from what is declared\` |
| ~ | \`Snippet/totals\` | \`add a version to the snippet Totals\`<br>\`text, from line 2 of 3:\`<br>\`- from a\`<br>\`+ from c\` | \`differs from what is declared\` |
| -/+ | \`Person/eve\` | \`delete eve\` | \`people cannot be edited\` |
| - | \`Permission/7\` | \`revoke the grant\` | \`not declared\` |

- \`Permission/old\` \`is over, and kept for the record\``,
    );
  });

  it('has a row for every call, however many there are', () => {
    const steps = Array.from({ length: 3000 }, (_, index) => step('create', `Person/p${index}`, `create p${index}`));
    const rows = renderMarkdown(planOf({ steps }))
      .split('\n')
      .filter((line) => line.startsWith('| + '));
    assert.equal(rows.length, 3000);
  });

  it('shows refusals with their remedy and token', () => {
    const refusals = [
      {
        rail: 'protected' as const,
        objects: [],
        message: 'it is',
        remedy: 'put it back',
        override: 'protected:Person/ada',
      },
    ];
    assert.match(
      renderMarkdown(planOf({ refusals })),
      /- \*\*Refused\*\* \(protected\): `it is`\. Remedy: `put it back`\. Override: `protected:Person\/ada`\./,
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
      const markdown = renderMarkdown(planOf({ steps: [step('change', 'Person/ada', text, { reason: 'end' })] }));
      const row = markdown.split('\n').find((line) => line.startsWith('| ~')) ?? '';
      const cells = cellsOf(row);
      assert.equal(cells.length, 4, row);
      const span = cells[2]?.trim() ?? '';
      const fence = /^`+/.exec(span)?.[0] ?? '';
      assert.ok(span.endsWith(fence) && fence !== '', span);
      const inside = span.slice(fence.length, -fence.length);
      assert.ok(!new RegExp(`(?<!\`)${fence}(?!\`)`).test(inside), span);
      assert.equal(markdown.split('\n').filter((line) => line.startsWith('|')).length, 3);
    }
  });
});
