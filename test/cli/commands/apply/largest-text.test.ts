import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCommand } from '../../support/run-command.ts';
import { startWorkspace } from '../../support/workspace.ts';

const definition = (text: string): string =>
  `apiVersion: rolecall.dev/v1alpha1\nkind: Snippet\nmetadata: { name: long }\nspec: { text: ${JSON.stringify(text)}, description: ${JSON.stringify('\u{1F600}'.repeat(10_000))} }\n`;

describe('the largest snippet that a definition may have', () => {
  it('is taken by the service, which gets it as a form', async () => {
    await using workspace = await startWorkspace();
    const text = '\u{1F600}'.repeat(200_000);
    const stdin = definition(text);
    const applied = await runCommand(['apply', '--yes', '-'], { env: workspace.env, stdin });
    assert.equal(applied.code, 0, applied.stdout.slice(-2000));
    const [snippet] = await workspace.client.call('listSnippets', {});
    assert.equal(snippet?.activeVersion.text, text);
    const planned = await runCommand(['plan', '--detailed-exitcode', '-'], { env: workspace.env, stdin });
    assert.equal(planned.code, 0, planned.stdout.slice(-2000));
    const checked = await runCommand(['validate', '-'], { stdin: definition(`${text}x`) });
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, /spec\.text has 200,001 characters, but may have at most 200,000/);
  });
});
