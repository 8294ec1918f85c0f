import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { formatProblem, hasErrors, type KindName, kindNames, kinds, loadDefinitions } from '@rolecall/crds';
import { desiredState, type Plan } from '@rolecall/reconcile';
import { parseAllDocuments, stringify } from 'yaml';
import { commonEffects, type Effect, effects, fieldEffects } from '../../../tools/kinds/changes.ts';
import { useWorkspace } from '../../reconcile/support.ts';

interface Written {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const before = `
kind: Person
metadata: { name: ada }
spec: { username: ada, name: Ada Lovelace, email: ada@example.com, locked: false }
---
kind: Person
metadata: { name: grace }
spec: { name: Grace Hopper, email: grace@example.com }
---
kind: Person
metadata: { name: linus }
spec: { name: Linus Example, email: linus@example.com }
---
kind: DataSource
metadata: { name: billing }
spec:
  alias: billing
  name: Billing
  uri: postgresql://reporting@db.internal:5432/billing
  passwordFrom: { env: OLD }
---
kind: DataSource
metadata: { name: shop, labels: { tier: gold } }
spec: { uri: 'sqlite:///srv/shop.db' }
---
kind: Role
metadata: { name: analysts }
spec: { name: analysts, people: [ada], dataSources: [billing], reason: one, owner: one }
---
kind: Role
metadata: { name: support }
---
kind: RoleMembership
metadata: { name: grace-support }
spec: { role: support, person: grace }
---
kind: RoleMembership
metadata: { name: shop-support }
spec: { role: support, dataSource: shop }
---
kind: RoleMembership
metadata: { name: turn }
spec: { role: analysts, person: linus, startsAt: 2030-01-01T00:00:00Z, expiresAt: 2030-01-08T00:00:00Z }
---
kind: RoleMembership
metadata: { name: week }
spec: { role: support, person: linus, startsAt: 2030-01-01T00:00:00Z, duration: 7d }
---
kind: Permission
metadata: { name: until }
spec: { person: ada, dataSource: billing, startsAt: 2030-01-01T00:00:00Z, expiresAt: 2030-02-01T00:00:00Z, reason: one }
---
kind: Permission
metadata: { name: lasting }
spec: { person: grace, dataSource: billing, startsAt: 2030-01-01T00:00:00Z, duration: 8h }
---
kind: Snippet
metadata: { name: top }
spec: { name: Top, description: one, text: select 1, owner: { role: analysts }, publicAccessLevel: none, locked: false }
---
kind: Snippet
metadata: { name: mapped }
spec: { textFrom: { configMapKeyRef: { name: texts, key: one } } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: texts }
data: { one: select 1, two: select 2 }
`;

/** Of which object, which value, and what has to change with it. */
type NewValue = readonly [string, unknown, Readonly<Record<string, unknown>>?];

/** Which object of those above gets which new value. */
const newValues: Readonly<Record<Exclude<KindName, 'Workspace'>, Readonly<Record<string, NewValue>>>> = {
  Person: {
    username: ['ada', 'lovelace'],
    name: ['ada', 'Ada King'],
    email: ['ada', 'king@example.com'],
    locked: ['ada', true],
    ignore: ['ada', ['name']],
  },
  DataSource: {
    alias: ['billing', 'billing-live'],
    name: ['billing', 'Billing (live)'],
    uri: ['billing', 'postgresql://reporting@other.internal:5432/billing'],
    passwordFrom: ['billing', { env: 'NEW' }],
  },
  Role: {
    name: ['analysts', 'Analysts'],
    people: ['analysts', ['grace']],
    dataSources: ['analysts', ['shop']],
    dataSourceSelector: ['analysts', { matchLabels: { tier: 'gold' } }],
    roles: ['analysts', ['support']],
    reason: ['analysts', 'two'],
    owner: ['analysts', 'two'],
  },
  RoleMembership: {
    role: ['grace-support', 'analysts'],
    person: ['grace-support', 'ada'],
    dataSource: ['shop-support', 'billing'],
    startsAt: ['turn', '2030-01-02T00:00:00Z'],
    expiresAt: ['turn', '2030-01-09T00:00:00Z'],
    duration: ['week', '8d'],
    reason: ['turn', 'two'],
    owner: ['turn', 'two'],
  },
  Permission: {
    person: ['until', 'grace'],
    dataSource: ['until', 'shop'],
    startsAt: ['until', '2030-01-02T00:00:00Z'],
    expiresAt: ['until', '2030-02-02T00:00:00Z'],
    duration: ['lasting', '9h'],
    reason: ['until', 'two'],
  },
  Snippet: {
    name: ['top', 'Best'],
    description: ['top', 'two'],
    text: ['top', 'select 2'],
    textFrom: ['mapped', { configMapKeyRef: { name: 'texts', key: 'two' } }],
    owner: ['top', { person: 'ada' }],
    publicAccessLevel: ['top', 'read_only'],
    locked: ['top', true],
  },
};

describe('what the page of a kind says of a new value', () => {
  // The times of memberships are written to a service that keeps them, which the snapshot tells.
  const workspace = useWorkspace('in one call');
  const secrets = { OLD: 'old', NEW: 'new' };
  // By the name of a definition its object is known again.
  const set = 'main';
  const objectsOf = async (text: string) => {
    const { definitions, problems } = await loadDefinitions(['-'], { stdin: Readable.from([text]) });
    assert.ok(!hasErrors(problems), problems.map(formatProblem).join('\n'));
    const { state, errors } = desiredState(definitions, undefined);
    assert.deepEqual(errors, []);
    return state.objects;
  };

  it('is said of every field', () => {
    for (const name of kindNames) {
      const own = Object.keys(kinds[name].schema.shape).filter((field) => !Object.hasOwn(commonEffects, field));
      assert.deepEqual(Object.keys(fieldEffects[name]).toSorted(), own.toSorted(), name);
    }
    for (const [kind, values] of Object.entries(newValues)) {
      assert.deepEqual(Object.keys(values).toSorted(), Object.keys(fieldEffects[kind as KindName]).toSorted(), kind);
    }
  });

  it('is what the next plan does', async () => {
    const { result } = await workspace.apply(await objectsOf(before), { secrets, set });
    assert.deepEqual(result.failed, []);
    for (const [kind, values] of Object.entries(newValues)) {
      for (const [field, [name, value, rest = {}]] of Object.entries(values)) {
        const plan = await workspace.plan(await objectsOf(changed(kind, name, { [field]: value, ...rest })), {
          secrets,
          set,
        });
        const said = fieldEffects[kind as KindName][field];
        assert.ok(said !== undefined);
        const seen = effectOf(plan, `${kind}/${name}`, kind);
        assert.equal(seen, said, `${kind}.${field}: ${effects[said]}`);
      }
    }
  });
});

function changed(kind: string, name: string, values: Readonly<Record<string, unknown>>): string {
  const documents = parseAllDocuments(before).map((each) => each.toJS() as Written);
  return documents
    .map((each) =>
      each.kind === kind && each.metadata.name === name ? { ...each, spec: { ...each.spec, ...values } } : each,
    )
    .map((each) => stringify(each))
    .join('---\n');
}

function effectOf({ steps, refusals }: Plan, label: string, kind: string): Effect | undefined {
  const own = steps.filter(({ object }) => `${object.kind}/${object.name}` === label);
  const operations = own.map(({ operation }) => operation);
  if (refusals.length > 0) return undefined;
  if (own.length === 0) return 'none';
  if (operations.includes('createSnippetVersion')) return 'version';
  if (operations.some((operation) => operation.startsWith('create'))) return 'another';
  const seen = new Set(own.map(({ effect }) => effect));
  if (seen.has('grant')) return kind === 'RoleMembership' ? 'another' : 'members';
  // A lock takes access away.
  return own.every(({ effect, operation }) => effect === 'change' || operation.startsWith('lock'))
    ? 'edited'
    : undefined;
}
