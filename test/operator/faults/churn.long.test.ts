import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requires } from '../../support/databases/parts.ts';
import { until } from '../../support/kubernetes/admin-client.ts';
import { isWatch } from '../../support/kubernetes/fault-proxy.ts';
import { readyOf } from '../support/installation.ts';
import { useCluster } from '../support/suite.ts';

const durationMs = 20_000;
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
const below = (limit: number): number => Math.floor(Math.random() * limit);

/** Objects that are deleted and made again, each time with another spec; what each is called in the workspace stays. */
const churning: readonly [string, string, () => Record<string, unknown>][] = [
  ...[0, 1, 2, 3].map((n): [string, string, () => Record<string, unknown>] => [
    'Person',
    `p${n}`,
    () => ({ username: `p${n}`, name: `Name ${below(3)}`, email: `p${n}.${below(100)}@example.com` }),
  ]),
  ['DataSource', 'd', () => ({ uri, alias: 'd', name: `Name ${below(9)}` })],
  ['Role', 'r', () => ({ name: 'r', people: [`p${below(4)}`], dataSources: ['d'] })],
  ['RoleMembership', 'm', () => ({ role: 'r', dataSource: 'd' })],
];

describe('objects that are deleted and made again at once, again and again', requires('kubernetes'), () => {
  const suite = useCluster();

  it('leave a workspace that is as the last of them declare', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name, driftMs: 1_000 });
    // Late enough that a finalizer may come to an API server which is deleting the object: then nothing holds it any more.
    suite.all.proxy.fault = (request) => (isWatch(request) ? undefined : { delayMs: below(80) });
    const end = Date.now() + durationMs;
    const create = (kind: string, name: string, spec: () => Record<string, unknown>) =>
      until(
        () =>
          space.create(kind, name, spec()).then(
            () => true,
            (error: unknown) => {
              if (error instanceof Error && error.message.includes('already exists')) return false;
              throw error;
            },
          ),
        `the end of the ${kind} ${name} before`,
      );
    await Promise.all(
      churning.map(async ([kind, name, spec]) => {
        while (Date.now() < end) {
          await create(kind, name, spec);
          await sleep(below(4) * below(150));
          await space.remove(kind, name);
        }
        await create(kind, name, spec);
      }),
    );
    suite.all.proxy.fault = () => undefined;
    for (const [kind, name] of churning) {
      await until(async () => readyOf(await space.get(kind, name))?.reason === 'Converged', `${kind}/${name}`).catch(
        async () => {
          assert.fail(JSON.stringify(await space.get(kind, name)));
        },
      );
    }
    const declared = await Promise.all([0, 1, 2, 3].map(async (n) => (await space.get('Person', `p${n}`))?.['spec']));
    const people = await workspace.client.call('listPeople', {});
    const emails = (all: readonly unknown[]) => all.map((one) => (one as { email: string }).email).sort();
    assert.deepEqual(emails(people), emails(declared));
  });
});
