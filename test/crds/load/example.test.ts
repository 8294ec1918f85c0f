import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAnnotated, kinds, naturalKey } from '@rolecall/crds';
import { loadFiles } from './support.ts';

/** One of everything, in one file and with what it refers to. */
const team = `apiVersion: rolecall.dev/v1alpha1
kind: Workspace
metadata: { name: production }
spec:
  url: https://workspace.example.com
  credentialsFrom: { secretKeyRef: { name: rolecall-key } }
  exact: [roles, permissions]
  rails: { maxRemovalPercent: 25, minimumRemoval: 10 }
---
apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata: { name: billing }
spec:
  alias: billing
  name: Billing (production)
  uri: postgresql://reporting@db.internal:5432/billing?sslmode=verify-full
  passwordFrom: { file: secrets/billing }
---
apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata:
  name: ada
  annotations: { rolecall.dev/protected: "true", example.com/team: analytics }
  labels: { team: analytics }
spec: { username: ada, name: Ada Lovelace, email: ada@example.com, locked: false }
---
kind: Person
metadata: { name: grace }
spec: { name: Grace Hopper, email: grace@example.com }
---
apiVersion: rolecall.dev/v1alpha1
kind: Role
metadata: { name: analysts }
spec:
  people: [ada]
  dataSources: [billing]
---
apiVersion: rolecall.dev/v1alpha1
kind: RoleMembership
metadata: { name: grace-analysts }
spec: { role: analysts, person: grace }
---
apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: { name: ada-billing-incident-4711 }
spec:
  person: ada
  dataSource: billing
  startsAt: 2026-12-01T09:00:00Z
  expiresAt: 2026-12-01T17:00:00Z
  reason: INC-4711
---
apiVersion: rolecall.dev/v1alpha1
kind: Snippet
metadata: { name: top-customers }
spec:
  name: Top customers
  textFrom: { file: sql/top.sql }
  owner: { role: analysts }
  publicAccessLevel: read_only
---
apiVersion: rolecall.dev/v1alpha1
kind: Snippet
metadata: { name: from-config-map }
spec: { textFrom: { configMapKeyRef: { name: sql, key: small.sql } } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: sql }
data: { small.sql: select 2 }
`;

const files = { 'team/all.yaml': team, 'team/sql/top.sql': '\uFEFFselect 1\r\n', 'team/secrets/billing': 'hunter2' };

describe('a team in one file', () => {
  it('loads without error, a list of people and a membership of the same role side by side', async () => {
    const { definitions, problems, ignored } = await loadFiles(files);
    assert.deepEqual(
      problems.map(({ code, line }) => [code, line]),
      [['api_version_missing', 27]],
    );
    assert.deepEqual(ignored, []);
    assert.equal(definitions.length, 9);
  });

  it('has texts from files and ConfigMaps as they are, and absolute paths', async () => {
    const { definitions } = await loadFiles(files);
    const texts = definitions.flatMap((definition) => (definition.kind === 'Snippet' ? [definition.spec.text] : []));
    assert.deepEqual(texts, ['select 1\r\n', 'select 2']);
    const source = definitions.find(({ kind }) => kind === 'DataSource');
    assert.ok(source?.kind === 'DataSource');
    assert.match(source.spec.passwordFrom?.file ?? '', /^\/.*\/team\/secrets\/billing$/);
    assert.doesNotMatch(JSON.stringify(definitions), /hunter2/);
  });

  it('has unquoted times as times, whatever version of YAML it claims', async () => {
    for (const directive of ['', '%YAML 1.1\n---\n']) {
      const { definitions } = await loadFiles({ ...files, 'team/all.yaml': directive + team });
      const permission = definitions.find(({ kind }) => kind === 'Permission');
      assert.ok(permission?.kind === 'Permission');
      assert.equal(permission.spec.startsAt, '2026-12-01T09:00:00.000Z');
    }
  });

  it('has annotations, natural keys and references that resolve', async () => {
    const { definitions, references } = await loadFiles(files);
    const objects = definitions.filter((definition) => definition.kind !== 'Workspace');
    const ada = definitions.find(({ metadata }) => metadata.name === 'ada');
    assert.ok(ada !== undefined && isAnnotated(ada, 'rolecall.dev/protected'));
    assert.ok(!isAnnotated(ada, 'rolecall.dev/paused'));
    assert.deepEqual(objects.map((definition) => naturalKey(definition, references)).slice(0, 5), [
      'billing',
      'ada',
      'grace',
      'analysts',
      'analysts/person/grace',
    ]);
  });

  it('loads as kubectl prints it: one list, with status and bookkeeping', async () => {
    const printed = `apiVersion: v1
kind: List
metadata: { resourceVersion: "" }
items:
- apiVersion: rolecall.dev/v1alpha1
  kind: Person
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"rolecall.dev/v1alpha1"}
    creationTimestamp: "2026-11-02T08:30:00Z"
    finalizers: [rolecall.dev/external]
    generation: 2
    managedFields: [{ manager: kubectl }]
    name: ada
    namespace: team
    ownerReferences: []
    resourceVersion: "812"
    uid: 5f0c7a3e-0000-4000-8000-000000000000
  spec: { name: Ada, email: ada@example.com, locked: false, deletionPolicy: Delete, managementPolicy: Full }
  status: { id: p7Kq2mXw4TzA, conditions: [] }
`;
    const { definitions, problems } = await loadFiles({ 'a.yaml': printed });
    assert.deepEqual(problems, []);
    assert.deepEqual(definitions[0]?.metadata.namespace, 'team');
    assert.deepEqual(definitions[0].source.item, 0);
    assert.deepEqual(definitions[0].source.line, 5);
  });

  it('may use anchors, aliases and merge keys', async () => {
    const { definitions, problems } = await loadFiles({
      'a.yaml': `apiVersion: rolecall.dev/v1alpha1
kind: List
items:
  - &ada
    apiVersion: rolecall.dev/v1alpha1
    kind: Person
    metadata: { name: ada }
    spec: &spec { name: Ada, email: ada@example.com }
  - <<: *ada
    metadata: { name: bob }
    spec: { <<: *spec, email: bob@example.com, lockd: true }
`,
    });
    assert.deepEqual(
      problems.map(({ path, line }) => [path, line]),
      [['items[1].spec.lockd', 11]],
    );
    assert.equal(definitions.length, 1);
  });
});

describe('the example of every kind', () => {
  for (const { kind, example } of Object.values(kinds)) {
    it(`${kind} loads without problem`, async () => {
      const { definitions, problems } = await loadFiles({ 'a.yaml': example });
      assert.deepEqual(problems, []);
      assert.equal(definitions[0]?.kind, kind);
    });
  }
});
