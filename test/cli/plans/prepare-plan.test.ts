import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { it, mock } from 'node:test';
import { loadDeclared } from '../../../cli/definitions/declared.ts';
import { createOutput } from '../../../cli/output/output.ts';
import { preparePlan } from '../../../cli/plans/prepare-plan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorkspace } from '../support/workspace.ts';

it('a plan grants nothing that ended while someone was asked', async () => {
  await using workspace = await startWorkspace();
  await workspace.client.call('createPerson', {
    body: { name: 'Ada', email: 'ada@team.example', username: 'ada' },
  });
  await workspace.client.call('createDataSource', {
    body: { name: 'Billing', alias: 'billing', configUri: 'sqlite:///srv/billing.db' },
  });
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'permission.yaml');
  const ends = (Math.floor(Date.now() / 1000) + 60) * 1000;
  writeFileSync(file, permissionUntil(new Date(ends)));
  const { stdin, stdout, stderr } = process;
  const io = { stdin, stdout, stderr, signals: process, env: workspace.env };
  const context = { io, output: createOutput(io, 'json') };
  const declared = await loadDeclared([file], {}, context);
  const prepared = await preparePlan(declared, {}, context, { abandon: new AbortController().signal }, false);
  try {
    await prepared.failIfMoved();
    mock.timers.enable({ apis: ['Date'], now: ends });
    await assert.rejects(prepared.failIfMoved(), /permissions in it have ended.*\s+Permission\/short ended at /);
  } finally {
    mock.timers.reset();
    await prepared.client.close();
  }
});

const permissionUntil = (end: Date): string => `apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: { name: short }
spec: { person: ada, dataSource: billing, startsAt: 2026-01-01T00:00:00Z, expiresAt: ${end.toISOString()} }
`;
