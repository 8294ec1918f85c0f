import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace } from '../../support/workspace.ts';

const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
const people = names.map(
  (name) => `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata: {name: ${name}}
spec: {name: ${name}, email: ${name}@example.com}
---
`,
);
const roleOf = (name: string, members: readonly string[]) => `apiVersion: rolecall.dev/v1alpha1
kind: Role
metadata: {name: ${name}}
spec: {people: [${members.join(', ')}], dataSources: []}
---
`;

it('rolecall refuses to empty a role that gives no data source, and names its people and administrators', async () => {
  await using workspace = await startWorkspace({ adminRole: 'admins' });
  using folder = temporaryFolder();
  const run = async (command: string, roles: string, ...more: string[]) => {
    writeFileSync(path.join(folder.path, 'all.yaml'), people.join('') + roles);
    return runCommand([command, folder.path, ...more], workspace);
  };
  const filled = await run('apply', roleOf('owners', names) + roleOf('admins', names.slice(0, 3)), '--yes');
  assert.equal(filled.code, 0, filled.stderr);
  const plan = await run('plan', roleOf('owners', []) + roleOf('admins', names.slice(1, 3)));
  assert.equal(plan.code, 1);
  assert.match(plan.stdout, /13 of the 15 memberships of people in roles \(87 %, allowed are 15 %\): p0 in owners, /);
  assert.match(plan.stdout, /Role\/admins has the administrators of the workspace, and would lose p0/);
  const admins = await run('apply', roleOf('owners', names) + roleOf('admins', []), '--yes');
  assert.equal(admins.code, 1);
  assert.match(
    admins.stdout + admins.stderr,
    /Role\/admins has the administrators of the workspace, and 3 of the 3 people who are in it would lose it/,
  );
  const roles = await workspace.client.call('listRoles', {});
  const left = await Promise.all(
    roles.map(({ id }) => workspace.client.call('listRolePeople', { params: { role: id } })),
  );
  assert.equal(left.flat().length, 15, 'nobody has left');
});
