import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { renumberPermission } from '../../support/new-store.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorkspace, team, useWorkspace } from '../support/workspace.ts';

const grant = (person: string, dataSource: string, id = '') => `
apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata: {name: ${person}}
spec: {name: ${person}, email: ${person}@example.com}
---
apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata: {name: ${dataSource}}
spec: {uri: "postgresql://r@db.internal:5432/${dataSource}?sslmode=verify-full"}
---
apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: {name: ${person}-${dataSource}${id === '' ? '' : `, annotations: {rolecall.dev/id: "${id}"}`}}
spec: {person: ${person}, dataSource: ${dataSource}, startsAt: 2026-11-01T00:00:00Z, expiresAt: 2029-01-01T00:00:00Z}
`;

describe('what is remembered of another store', () => {
  const workspace = useWorkspace();

  it('as the annotated id of a permission is refused where it is of another person or data source', async () => {
    const { env, client, dataDir } = workspace;
    using folder = temporaryFolder();
    const write = (name: string, text: string): string => {
      const file = path.join(folder.path, name);
      writeFileSync(file, text);
      return file;
    };
    assert.equal(
      (await runCommand(['apply', write('victor.yaml', grant('victor', 'payroll')), '--yes'], { env })).code,
      0,
    );
    const [his] = await client.call('listPermissions', {});
    renumberPermission(dataDir, his!.id, 1);
    for (const [person, dataSource] of [
      ['multi', 'shop'],
      ['victor', 'shop'],
      ['multi', 'payroll'],
    ] as const) {
      const file = write('multi.yaml', grant(person, dataSource, '1'));
      const { stdout } = await runCommand(['plan', file], { env });
      assert.match(stdout, /the permission with its id 1 is of victor on payroll/);
      assert.doesNotMatch(stdout, /end the permission|loses/);
      assert.equal((await runCommand(['apply', file, '--yes'], { env })).code, 1);
    }
    const [kept, ...others] = await client.call('listPermissions', {});
    assert.deepEqual([kept?.id, others], ['1', []]);
    const own = write('own.yaml', grant('victor', 'payroll', '1').replace('2029', '2030'));
    assert.match(
      (await runCommand(['plan', own], { env })).stdout,
      /~ Permission\/victor-payroll: let victor have payroll .* to 2030-01-01T00:00Z/,
    );
    const missing = write('missing.yaml', grant('multi', 'shop', '4711'));
    assert.equal((await runCommand(['apply', missing, '--yes'], { env })).code, 0);
  });

  it('as a saved plan is refused, though both stores look the same', async () => {
    await using one = await startWorkspace();
    await using other = await startWorkspace();
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'plan.json');
    assert.equal((await runCommand(['plan', team, '--out', file], { env: one.env })).code, 0);
    one.proxy.target = other.url;
    const { code, stderr } = await runCommand(['apply', file, '--yes'], { env: one.env });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /was made for the store \S+, and the service at http:\S+ has \S+ by now\. Nothing was written/,
    );
    assert.deepEqual(await other.client.call('listPeople', {}), []);
    one.proxy.target = one.url;
    assert.equal((await runCommand(['apply', file, '--yes'], { env: one.env })).code, 0);
  });
});
