import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type DefinitionOf, isAnnotated, kindNames, loadDefinitions } from '@rolecall/crds';
import { type Caller, createView, desiredState, makePlan } from '@rolecall/reconcile';

const root = path.resolve(import.meta.dirname, '../..');
const folders = readdirSync(path.join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  // Pipelines and the server in front of replicas are no definitions; they have tests of their own.
  .filter(({ name }) => name !== 'ci' && name !== 'nginx')
  // What stands beside these definitions is for Argo CD and Flux.
  .map(({ name }) => (name === 'kubernetes' ? 'examples/kubernetes/access' : `examples/${name}`));

const load = (folder: string) => loadDefinitions([path.join(root, folder)]);

for (const folder of folders) {
  describe(folder, () => {
    it('loads without errors, warnings and documents that are passed over', async () => {
      const { problems, ignored } = await load(folder);
      assert.deepEqual(problems, []);
      // The package.json of a program is passed over: it is no object of Kubernetes.
      assert.deepEqual(
        ignored.filter(({ kind }) => kind !== ''),
        [],
      );
    });

    it('declares everything that it refers to', async () => {
      const { definitions, references } = await load(folder);
      for (const definition of definitions) {
        if (definition.kind !== 'Permission') continue;
        const { person, dataSource } = definition.spec;
        assert.ok(references.resolve('Person', person, definition).declared, `${definition.metadata.name}: ${person}`);
        assert.ok(references.resolve('DataSource', dataSource, definition).declared, definition.metadata.name);
      }
    });

    it('can be taken by the command line', async () => {
      const { definitions } = await load(folder);
      const workspace = definitions.find((definition) => definition.kind === 'Workspace');
      const { errors, state } = desiredState(definitions, workspace);
      assert.deepEqual(errors, []);
      assert.equal(state.objects.length, definitions.length - (workspace === undefined ? 0 : 1));
    });
  });
}

describe('examples/acme', () => {
  const acme = path.join(root, 'examples/acme');
  const readme = readFileSync(path.join(acme, 'README.md'), 'utf8');

  it('has as many definitions of each kind as its README says', async () => {
    const { definitions } = await load('examples/acme');
    for (const kind of kindNames) {
      const count = definitions.filter((definition) => definition.kind === kind).length;
      assert.ok(readme.includes(`| ${kind} | ${count} |`), `${count} of ${kind}`);
    }
  });

  it('takes as many calls into an empty workspace as its README says', async () => {
    const { definitions } = await load('examples/acme');
    const { state } = desiredState(
      definitions,
      definitions.find((definition) => definition.kind === 'Workspace'),
    );
    const { steps, refusals } = await makePlan(state, createView(emptyWorkspace), {
      workspace: { url: 'http://127.0.0.1' },
      overrides: [],
      now: new Date(),
      resolveSecret: () => Promise.resolve('secret'),
      salt: 'salt',
    });
    assert.deepEqual(refusals, []);
    assert.ok(readme.includes(`The first plan has ${steps.length} calls`), String(steps.length));
  });

  it('has data sources of three types', async () => {
    const schemes = (await dataSources()).map(({ spec }) => spec.uri.split(':', 1)[0]);
    assert.deepEqual(schemes.toSorted(), ['mariadb', 'postgresql', 'sqlite']);
  });

  it('lists every environment variable in its README and in .env.example, and no other', async () => {
    const passwords = (await dataSources()).flatMap(({ spec }) => spec.passwordFrom?.env ?? []);
    const needed = ['ROLECALL_URL', 'ROLECALL_KEY_ID', 'ROLECALL_KEY_SECRET', ...passwords].toSorted();
    const example = readFileSync(path.join(acme, '.env.example'), 'utf8');
    const assigned = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(assigned.toSorted(), needed);
    for (const name of needed) assert.ok(readme.includes(`\`${name}\``), name);
  });

  const windows = {
    past: ['jonas-billing-inc-2141', 'liam-billing-inc-2203', 'ruth-billing-audit-2025'],
    present: ['ben-postcodes-routing', 'ben-shipping-routing', 'priya-billing-on-call'],
    future: ['mara-billing-migration', 'ruth-billing-audit-2029', 'samuel-billing-migration'],
  };

  for (const [day, now] of [
    ['when it was written', Date.parse('2026-12-01T12:00:00Z')],
    ['today', Date.now()],
  ] as const) {
    it(`has past, present and future permissions ${day}`, async () => {
      const names = Map.groupBy(await permissions(), ({ spec }) => tenseOf(spec, now));
      for (const tense of ['past', 'present', 'future'] as const) {
        const found = names.get(tense)?.map(({ metadata }) => metadata.name) ?? [];
        assert.deepEqual(found.toSorted(), windows[tense], `${tense}; in 2030 the windows need other years`);
      }
    });
  }

  it('marks exactly the past permissions as ended, since they are refused otherwise', async () => {
    const ended = (await permissions()).filter((definition) => isAnnotated(definition, 'rolecall.dev/ended'));
    assert.deepEqual(ended.map(({ metadata }) => metadata.name).toSorted(), windows.past);
  });

  const dataSources = async () =>
    (await load('examples/acme')).definitions.filter((definition) => definition.kind === 'DataSource');
  const permissions = async () =>
    (await load('examples/acme')).definitions.filter((definition) => definition.kind === 'Permission');
});

function tenseOf({ startsAt, expiresAt }: DefinitionOf<'Permission'>['spec'], now: number) {
  assert.ok(expiresAt);
  if (Date.parse(expiresAt) <= now) return 'past';
  return startsAt !== undefined && Date.parse(startsAt) > now ? 'future' : 'present';
}

/** Every list of it is empty, and before anything is made nothing else is read. */
const emptyWorkspace: Caller = { call: () => Promise.resolve([] as never) };
