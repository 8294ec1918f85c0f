import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { it, mock } from 'node:test';
import { loadDeclared } from '../../../cli/definitions/declared.ts';
import { createOutput, type Output } from '../../../cli/output/output.ts';
import { preparePlan } from '../../../cli/plans/prepare-plan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Prepares a plan of one definition, over a workspace with a person and a data source. */
async function prepare(workspace: TestWorkspace, definition: string) {
  await workspace.client.call('createPerson', {
    body: { name: 'Ada', email: 'ada@team.example', username: 'ada' },
  });
  await workspace.client.call('createDataSource', {
    body: { name: 'Billing', alias: 'billing', configUri: 'sqlite:///srv/billing.db' },
  });
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'permission.yaml');
  writeFileSync(file, definition);
  const { stdin, stdout, stderr } = process;
  const io = { stdin, stdout, stderr, signals: process, env: workspace.env };
  const warnings: string[] = [];
  const warn: Output['warn'] = (_code, message) => warnings.push(message);
  const context = { io, output: { ...createOutput(io, 'json'), warn } };
  const declared = await loadDeclared([file], {}, context);
  return {
    warnings,
    prepared: await preparePlan(
      declared,
      {},
      context,
      { abandon: new AbortController().signal },
      { isReviewed: false, isRun: true },
    ),
  };
}

it('a plan grants nothing that ended while someone was asked', async () => {
  await using workspace = await startWorkspace();
  const ends = (Math.floor(Date.now() / 1000) + 60) * 1000;
  const { prepared } = await prepare(workspace, permissionUntil(new Date(ends), '2026-01-01T00:00:00Z'));
  try {
    await prepared.failIfMoved();
    mock.timers.enable({ apis: ['Date'], now: ends });
    await assert.rejects(prepared.failIfMoved(), /permissions in it have ended.*\s+Permission\/short ended at /);
  } finally {
    mock.timers.reset();
    await prepared.client.close();
  }
});

it("a permission without a start begins now by the service's clock, and a clock that is far off is told", async () => {
  const hour = 3_600_000;
  for (const aheadMs of [-2 * hour, 2 * hour]) {
    await using workspace = await startWorkspace();
    workspace.proxy.aheadMs = aheadMs;
    const { prepared, warnings } = await prepare(workspace, permissionUntil(new Date(Date.now() + 24 * hour)));
    await using _ = prepared;
    const [grant] = prepared.plan.steps;
    const differs = Date.parse(grant?.body?.['startsAt'] as string) - Date.now() - aheadMs;
    assert.ok(Math.abs(differs) < hour, `begins ${differs} ms from now`);
    assert.match(warnings.join(), aheadMs > 0 ? /clock is 7\d{3} s ahead of this/ : /clock is 7\d{3} s behind this/);
    await prepared.failIfMoved();
  }
});

it('a plan is made in one call where the clocks agree', async () => {
  await using workspace = await startWorkspace();
  const { prepared, warnings } = await prepare(workspace, permissionUntil(new Date(Date.now() + 3_600_000)));
  await prepared[Symbol.asyncDispose]();
  assert.deepEqual([workspace.proxy.calls.length, warnings], [1, []]);
});

const permissionUntil = (end: Date, start?: string): string => `apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: { name: short }
spec: { person: ada, dataSource: billing, ${start === undefined ? '' : `startsAt: ${start}, `}expiresAt: ${end.toISOString()} }
`;
