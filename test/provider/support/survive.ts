import assert from 'node:assert/strict';
import type { Client } from '@rolecall/api';
import { type Fault, type FaultProxy, startFaultProxy } from '../../reconcile/crash/fault-proxy.ts';
import { everything } from './everything.ts';
import { startTerraform, type Terraform } from './terraform.ts';

export type State = 'first' | 'second';

/** How many calls the apply of a state makes that write, when nothing goes wrong. */
export async function countWrites(state: State): Promise<number> {
  await using run = await start(state);
  run.proxy.arm(undefined);
  await apply(run.terraform);
  return run.proxy.writes();
}

/**
 * Applies a state while one call goes wrong, and then again without a fault. Fails where anything is there twice or is
 * missing, or the plan afterwards is not empty.
 */
export async function survive(state: State, fault: { kind: Fault; after: number }): Promise<void> {
  await using run = await start(state);
  const { terraform, proxy } = run;
  proxy.arm(fault);
  const first = await terraform.run(['apply', '-auto-approve', '-parallelism=1']);
  proxy.arm(undefined);
  const second = await terraform.run(['apply', '-auto-approve', '-parallelism=1']);
  const said = `\n${fault.kind}, after ${fault.after} calls that write\n${first.output}\n-- again --\n${second.output}`;
  assert.equal(second.code, 0, said);
  assert.deepEqual(await dump(terraform.workspace.client), expected(state), said);
  await terraform.assertNoChanges();
}

interface Run extends AsyncDisposable {
  readonly terraform: Terraform;
  readonly proxy: FaultProxy;
}

/** Everything is as it is before the state is applied. */
async function start(state: State): Promise<Run> {
  const run = await startThroughFaults(() => Promise.resolve());
  const { terraform } = run;
  if (state === 'second') {
    terraform.configure(resuming + everything('first'));
    await apply(terraform);
  }
  terraform.configure(resuming + everything(state));
  return run;
}

/** What is to be seen is the second apply, not how long the first one tries. */
const resuming = 'provider "rolecall" {\n  max_retries = 1\n}\n';

/** A provider that reaches its service through a proxy that lets calls go wrong. */
export async function startThroughFaults(onWritten: () => Promise<void>): Promise<Run> {
  const started: FaultProxy[] = [];
  const terraform = await startTerraform(async (url) => {
    const proxy = await startFaultProxy(url, onWritten);
    started.push(proxy);
    return proxy.url;
  });
  const [proxy] = started;
  if (proxy === undefined) throw new Error('startTerraform started no proxy');
  return {
    terraform,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await terraform[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

async function apply(terraform: Terraform): Promise<void> {
  await terraform.apply('-parallelism=1');
}

/** The workspace without ids and times of making: names only, so that what is there twice is seen. */
async function dump(client: Client) {
  const [people, roles, dataSources, permissions, snippets] = await Promise.all([
    client.call('listPeople', {}),
    client.call('listRoles', {}),
    client.call('listDataSources', {}),
    client.call('listPermissions', {}),
    client.call('listSnippets', {}),
  ]);
  const members = await Promise.all(
    roles.map(async ({ id, name }) => {
      const params = { role: id };
      const inRole = await client.call('listRolePeople', { params });
      const reached = await client.call('listRoleDataSources', { params });
      return [name, inRole.map(({ username }) => username), reached.map(({ alias }) => alias)];
    }),
  );
  return {
    people: people.map(({ email, isLocked }) => `${email} ${isLocked ? 'locked' : 'open'}`).sort(),
    members,
    dataSources: dataSources.map(({ alias, name }) => `${alias ?? ''}: ${name}`),
    permissions: permissions.map(({ person, expiresAt }) => `${person.username} until ${expiresAt}`),
    snippets: snippets.map(
      ({ activeVersion, ownerRole, isLocked }) =>
        `${activeVersion.text} of ${ownerRole?.name ?? 'nobody'}, ${isLocked ? 'locked' : 'open'}`,
    ),
  };
}

function expected(state: State) {
  return state === 'first'
    ? {
        people: ['ada@example.com locked', 'grace@example.com open'],
        members: [['analysts', ['ada'], ['billing']]],
        dataSources: ['billing: Billing'],
        permissions: ['ada until 2046-01-01T00:00:00.000Z'],
        snippets: ['select 1 of analysts, open'],
      }
    : {
        people: ['ada@example.com open', 'hopper@example.com open'],
        members: [['researchers', ['ada'], ['billing']]],
        dataSources: ['billing: Billing (production)'],
        permissions: ['ada until 2047-01-01T00:00:00.000Z'],
        snippets: ['select 2 of researchers, locked'],
      };
}
