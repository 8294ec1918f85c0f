import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { apiVersion, checkDocument, isKindName, kinds } from '@rolecall/crds';
import { parseAllDocuments } from 'yaml';
import { requires } from '../support/databases/parts.ts';
import {
  type AdminClient,
  type Answer,
  adminClient,
  ask,
  installKinds,
  type KubeObject,
  kindPath,
} from '../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../support/kubernetes/apiserver.ts';
import { specCases } from './load/cases-spec.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What a schema cannot say, so that the operator says it in a condition: when a window ends of which only the length is given. */
const beyondSchemas = [/9999-12-31T00:00:00Z/];

interface Status {
  message: string;
}

describe('the CustomResourceDefinitions on a real API server', requires('kubernetes'), () => {
  let server: Apiserver;
  let client: AdminClient;

  before(async () => {
    server = await startApiserver();
    client = adminClient(server);
    await installKinds(client);
  });
  after(async () => {
    await client[Symbol.asyncDispose]();
    await server.stop();
  });

  /** What a server-side dry run of one object answers, as strict as `kubectl apply` is. */
  function dryRun(document: KubeObject): Promise<Answer<Status>> {
    const { kind } = document;
    assert.ok(isKindName(kind));
    const object = { ...document, metadata: { ...document.metadata, namespace: 'default' } };
    return client.call('POST', `${kindPath(kinds[kind].plural)}?dryRun=All&fieldValidation=Strict`, object);
  }

  it('are accepted with nothing said against them', async () => {
    const { items } = await ask<{
      items: (KubeObject & { status: { conditions: { type: string; status: string }[] } })[];
    }>(client, 'GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
    assert.equal(items.length, 7);
    for (const { metadata, status } of items) {
      const holds = status.conditions.filter((condition) => condition.status === 'True').map(({ type }) => type);
      assert.deepEqual(holds.sort(), ['Established', 'NamesAccepted'], metadata.name);
    }
  });

  it('accept every example', async () => {
    const files = globSync('examples/**/*.yaml', { cwd: root }).map((file) => path.join(root, file));
    let accepted = 0;
    for (const file of files) {
      for (const document of documentsOf(readFileSync(file, 'utf8'))) {
        if (!isOurs(document)) continue;
        const { status, body } = await dryRun(document);
        assert.equal(status, 201, `${file}: ${body.message}`);
        accepted += 1;
      }
    }
    assert.ok(accepted >= 40, `only ${accepted} documents were found`);
  });

  it('accept the example that every kind gives of itself', async () => {
    for (const { example, kind } of Object.values(kinds)) {
      const { status, body } = await dryRun(documentsOf(example)[0]!);
      assert.equal(status, 201, `${kind}: ${body.message}`);
    }
  });

  for (const { promise, input } of specCases) {
    if (typeof input !== 'string') continue;
    it(`refuse what validate refuses: ${promise}`, async () => {
      for (const document of documentsOf(input)) {
        if (!isOurs(document)) continue;
        if (checkDocument(document).type === 'definition') continue;
        if (beyondSchemas.some((pattern) => pattern.test(JSON.stringify(document.spec)))) continue;
        const { status, body } = await dryRun(document);
        assert.ok(status === 422 || status === 400, `answered ${status} to ${JSON.stringify(document.spec)}`);
        assert.doesNotMatch(body.message, /hunter2|key:secret/, 'a secret is repeated');
      }
    });
  }

  const refusals: readonly { what: string; kind: string; spec: object; says: RegExp }[] = [
    {
      what: 'a password in a URI',
      kind: 'DataSource',
      spec: { uri: 'postgresql://u:hunter2@db/billing' },
      says: /spec\.uri: .*uri must not contain a password: remove it and use passwordFrom/,
    },
    {
      what: 'two sources of a password',
      kind: 'DataSource',
      spec: { uri: 'mysql://u@db/b', passwordFrom: { env: 'A', file: 'b' } },
      says: /spec\.passwordFrom: .*exactly one of secretKeyRef, env, file is needed/,
    },
    {
      what: 'credentials in an address',
      kind: 'Workspace',
      spec: { url: 'https://key:secret@example.com' },
      says: /spec\.url: .*url must be an address without credentials/,
    },
    {
      what: 'a window that ends before it begins',
      kind: 'Permission',
      spec: { person: 'ada', dataSource: 'b', startsAt: '2026-12-01T09:00:00Z', expiresAt: '2026-12-01T08:00Z' },
      says: /spec\.expiresAt: .*expiresAt must be after startsAt/,
    },
    {
      what: 'a window of a fraction of a second',
      kind: 'Permission',
      spec: { person: 'ada', dataSource: 'b', startsAt: '2026-12-01T09:00:00.5Z', expiresAt: '2026-12-01T10:00:00Z' },
      says: /spec\.expiresAt: .*whole number of seconds after startsAt/,
    },
    {
      what: 'a day that no calendar has',
      kind: 'Permission',
      spec: { person: 'ada', dataSource: 'b', expiresAt: '2026-02-31T10:00:00Z' },
      says: /expiresAt must be a time that exists/,
    },
    {
      what: 'a window without end and length',
      kind: 'Permission',
      spec: { person: 'ada', dataSource: 'b' },
      says: /exactly one of expiresAt, duration is needed/,
    },
    {
      what: 'a field that is not known',
      kind: 'Person',
      spec: { name: 'Ada', email: 'ada@example.com', emial: 'ada@example.com' },
      says: /unknown field "spec\.emial"/,
    },
  ];
  for (const { what, kind, spec, says } of refusals) {
    it(`say in words what is wrong: ${what}`, async () => {
      const { status, body } = await dryRun({
        apiVersion: 'rolecall.dev/v1alpha1',
        kind,
        metadata: { name: 'x' },
        spec: { ...spec },
      });
      assert.ok(status === 422 || status === 400, `answered ${status}`);
      assert.match(body.message, says);
      assert.doesNotMatch(body.message, /hunter2|key:secret/);
    });
  }

  const immutable: readonly { what: string; kind: 'Person' | 'RoleMembership'; spec: object; change: object }[] = [
    {
      what: 'a workspace that is given up',
      kind: 'Person',
      spec: { workspaceRef: 'one' },
      change: { workspaceRef: null },
    },
    { what: 'a workspace that comes later', kind: 'Person', spec: {}, change: { workspaceRef: 'one' } },
    { what: 'another workspace', kind: 'Person', spec: { workspaceRef: 'one' }, change: { workspaceRef: 'two' } },
    { what: 'another role', kind: 'RoleMembership', spec: { role: 'r', person: 'ada' }, change: { role: 's' } },
    {
      what: 'a data source instead of a person',
      kind: 'RoleMembership',
      spec: { role: 'r', person: 'ada' },
      change: { person: null, dataSource: 'billing' },
    },
  ];
  for (const [index, { what, kind, spec, change }] of immutable.entries()) {
    it(`let no one change what cannot change: ${what}`, async () => {
      const name = `immutable-${index}`;
      const whole = kind === 'Person' ? { name: 'Ada', email: 'ada@example.com', ...spec } : spec;
      const plural = kinds[kind].plural;
      const object = { apiVersion: 'rolecall.dev/v1alpha1', kind, metadata: { name }, spec: whole };
      await ask(client, 'POST', kindPath(plural), object);
      const merge = 'application/merge-patch+json';
      const { status, body } = await client.call<Status>('PATCH', kindPath(plural, name), { spec: change }, merge);
      assert.equal(status, 422);
      assert.match(body.message, /cannot be changed: delete this object and create another one/);
      const harmless = await client.call<Status>(
        'PATCH',
        kindPath(plural, name),
        { spec: { deletionPolicy: 'Orphan' } },
        merge,
      );
      assert.equal(harmless.status, 200, harmless.body.message);
    });
  }

  it('fill in the defaults that the command line fills in', async () => {
    const { name } = (await ask(client, 'POST', kindPath('roles'), definition('Role', 'defaults', undefined))).metadata;
    const { spec } = await ask(client, 'GET', kindPath('roles', name));
    assert.deepEqual(spec, { deletionPolicy: 'Delete', managementPolicy: 'Full' });
  });

  it('can be asked for by their fields', async () => {
    for (const [name, person] of [
      ['one', 'ada'],
      ['two', 'grace'],
    ] as const) {
      await ask(
        client,
        'POST',
        kindPath('permissions'),
        definition('Permission', name, { person, dataSource: 'b', duration: '8h' }),
      );
    }
    const { items } = await ask<{ items: KubeObject[] }>(
      client,
      'GET',
      `${kindPath('permissions')}?fieldSelector=spec.person%3Dgrace`,
    );
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['two'],
    );
  });

  it('keep what is written to the spec away from the status, and the other way round', async () => {
    const object = { ...definition('Role', 'subresource', { name: 'r' }), status: { id: 'forged' } };
    const made = await ask(client, 'POST', kindPath('roles'), object);
    assert.equal(made.status, undefined);
  });

  describe('with kubectl', { skip: !hasKubectl() && 'needs kubectl on the path' }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-kubectl-'));
    after(() => {
      rmSync(folder, { recursive: true });
    });

    function kubectl(...args: string[]): string {
      const file = path.join(folder, 'kubeconfig');
      writeFileSync(file, server.kubeconfig, { mode: 0o600 });
      const { status, stdout, stderr } = spawnSync('kubectl', args, {
        encoding: 'utf8',
        env: { ...process.env, KUBECONFIG: file, HOME: folder },
      });
      assert.equal(status, 0, stderr);
      return stdout;
    }

    it('explain every field of every kind', () => {
      for (const { plural } of Object.values(kinds)) {
        // Kubernetes has roles of its own.
        const explain = (field: string): string =>
          kubectl('explain', `${plural}.${field}`, `--api-version=${apiVersion}`);
        assert.match(explain('spec'), /FIELDS:/);
        assert.doesNotMatch(explain('spec'), /<no description>|<empty>/, plural);
        assert.match(explain('status.conditions'), /DESCRIPTION:\s+\S/);
      }
    });

    it('apply all examples, and list them together with the columns that matter', () => {
      kubectl('create', 'namespace', 'acme');
      kubectl('apply', '--server-side', '--recursive', '-n', 'acme', '-f', path.join(root, 'examples/acme'));
      const permissions = kubectl('get', 'permissions', '-n', 'acme').split('\n')[0];
      assert.match(permissions ?? '', /^NAME +PERSON +DATASOURCE +STATE +EXPIRES +READY +REASON +AGE *$/);
      for (const kind of [
        'person.rolecall.dev',
        'role.rolecall.dev',
        'snippet.rolecall.dev',
        'workspace.rolecall.dev',
      ]) {
        assert.match(kubectl('get', 'rolecall', '-n', 'acme', '-o', 'name'), new RegExp(`^${kind}/`, 'm'));
      }
      assert.match(kubectl('get', 'rcperson', '-n', 'acme'), /^NAME +USERNAME +EMAIL +READY +REASON +AGE/);
    });
  });
});

function definition(kind: string, name: string, spec: Record<string, unknown> | undefined): KubeObject {
  const whole = { apiVersion: 'rolecall.dev/v1alpha1', kind, metadata: { name } };
  return spec === undefined ? whole : { ...whole, spec };
}

function hasKubectl(): boolean {
  return spawnSync('kubectl', ['version', '--client']).status === 0;
}

function documentsOf(text: string): KubeObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

function isOurs(document: KubeObject | null): document is KubeObject {
  return document !== null && isKindName(document.kind);
}
