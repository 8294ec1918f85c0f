import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProvider, version } from '@rolecall/provider';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

/** What a plan does with an object: edits it, gives it another id while it stays the same resource, or nothing. */
type Action = 'edits' | 'edits to another id' | 'nothing';

interface Change {
  readonly from: string;
  readonly to: string;
  readonly action: Action;
  /** Attributes that change along, or stand in the way. */
  readonly more?: string;
}

const edits = (from: string, to: string, more = ''): Change => ({ from, to, action: 'edits', more });
const moves = (from: string, to: string, more = ''): Change => ({
  ...edits(from, to, more),
  action: 'edits to another id',
});

const window = 'starts_at = "2040-01-01T00:00:00Z"';
const password = 'password_wo_version = 1';

/** Each attribute that can be written, with another value of it. */
const table: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  rolecall_person: {
    username: edits('"zoe"', '"zora"'),
    name: edits('"Zoe"', '"Zora"'),
    email: edits('"zoe@example.com"', '"zora@example.com"'),
    locked: edits('false', 'true'),
    protected: edits('false', 'true'),
    adopt: edits('true', 'false'),
  },
  rolecall_role: {
    name: edits('"zoo"', '"menagerie"'),
    protected: edits('false', 'true'),
    adopt: edits('true', 'false'),
  },
  rolecall_data_source: {
    name: edits('"Zebra"', '"Zebu"'),
    alias: edits('"zebra"', '"zebu"'),
    uri: edits('"postgresql://u@db.internal/a"', '"postgresql://u@db.internal/b"'),
    password: edits('"sesame"', '"simsim"'),
    // Terraform remembers nothing of it: password_wo_version tells it of a new one.
    password_wo: { ...edits('"sesame"', '"simsim"', password), action: 'nothing' },
    password_wo_version: edits('1', '2', 'password_wo = "sesame"'),
    protected: edits('false', 'true'),
    adopt: edits('true', 'false'),
  },
  rolecall_permission: {
    person_id: moves('rolecall_person.a.id', 'rolecall_person.b.id'),
    data_source_id: moves('rolecall_data_source.a.id', 'rolecall_data_source.b.id'),
    starts_at: edits('"2040-01-01T00:00:00Z"', '"2040-02-01T00:00:00Z"'),
    expires_at: edits('"2041-01-01T00:00:00Z"', '"2042-01-01T00:00:00Z"'),
    duration: edits('"8h"', '"9h"'),
    adopt: edits('true', 'false'),
  },
  rolecall_role_person: {
    role_id: moves('rolecall_role.a.id', 'rolecall_role.b.id'),
    person_id: moves('rolecall_person.a.id', 'rolecall_person.b.id'),
    starts_at: edits('"2040-01-01T00:00:00Z"', '"2040-02-01T00:00:00Z"', 'expires_at = "2042-01-01T00:00:00Z"'),
    expires_at: edits('"2041-01-01T00:00:00Z"', '"2042-01-01T00:00:00Z"'),
    duration: edits('"8h"', '"9h"', window),
    adopt: edits('true', 'false'),
  },
  rolecall_role_data_source: {
    role_id: moves('rolecall_role.a.id', 'rolecall_role.b.id'),
    data_source_id: moves('rolecall_data_source.a.id', 'rolecall_data_source.b.id'),
    adopt: edits('true', 'false'),
  },
  rolecall_role_people: {
    role_id: moves('rolecall_role.a.id', 'rolecall_role.b.id'),
    person_ids: edits('[rolecall_person.a.id]', '[rolecall_person.b.id]'),
  },
  rolecall_role_data_sources: {
    role_id: moves('rolecall_role.a.id', 'rolecall_role.b.id'),
    data_source_ids: edits('[rolecall_data_source.a.id]', '[rolecall_data_source.b.id]'),
  },
  rolecall_snippet: {
    name: edits('"Top"', '"Best"'),
    text: edits('"select 1"', '"select 2"'),
    description: edits('"One"', '"Two"'),
    owner_person_id: edits('rolecall_person.a.id', 'rolecall_person.b.id'),
    owner_role_id: edits('rolecall_role.a.id', 'rolecall_role.b.id'),
    public_access_level: edits('"none"', '"read_only"'),
    locked: edits('false', 'true'),
    adopt: edits('true', 'false'),
  },
};

/** What else a resource needs beside the attribute, where it is not the attribute itself. */
const needed: Readonly<Record<string, readonly string[]>> = {
  rolecall_person: ['username', 'name', 'email'],
  rolecall_role: ['name'],
  rolecall_data_source: ['name', 'alias', 'uri'],
  rolecall_permission: ['person_id', 'data_source_id', 'starts_at', 'expires_at'],
  rolecall_role_person: ['role_id', 'person_id'],
  rolecall_role_data_source: ['role_id', 'data_source_id'],
  rolecall_role_people: ['role_id', 'person_ids'],
  rolecall_role_data_sources: ['role_id', 'data_source_ids'],
  rolecall_snippet: ['name', 'text'],
};

const base = ['a', 'b']
  .map(
    (name) => `resource "rolecall_person" "${name}" {
  username = "${name}"
  name     = "${name}"
  email    = "${name}@example.com"
}
resource "rolecall_role" "${name}" {
  name = "${name}"
}
resource "rolecall_data_source" "${name}" {
  name  = "${name}"
  alias = "${name}"
  uri   = "postgresql://u@db.internal/${name}"
}
`,
  )
  .join('');

interface ShownPlan {
  readonly resource_changes: readonly {
    readonly address: string;
    readonly change: {
      readonly actions: readonly string[];
      readonly before: { readonly id?: string } | null;
      readonly after: { readonly id?: string } | null;
    };
  }[];
}

describe('a changed attribute', requires('terraform'), () => {
  const terraform = useTerraform(base);

  const hcl = (type: string, attribute: string, side: 'from' | 'to'): string => {
    const own = table[type]?.[attribute];
    const others = (needed[type] ?? []).filter(
      (name) => name !== attribute && !(attribute === 'duration' && name === 'expires_at'),
    );
    const lines = others.map((name) => `${name} = ${table[type]?.[name]?.from ?? ''}`);
    return `${base}resource "${type}" "it" {\n  ${[...lines, own?.more ?? '', `${attribute} = ${own?.[side] ?? ''}`].join('\n  ')}\n}\n`;
  };

  it('is in this table, whichever resource has it', () => {
    const attributes = createProvider({}, version).resources.map(({ type, schema }) => [
      type,
      Object.entries(schema.attributes)
        .flatMap(([name, { presence }]) => (presence === 'computed' ? [] : [name]))
        .sort(),
    ]);
    assert.deepEqual(
      Object.fromEntries(attributes),
      Object.fromEntries(Object.entries(table).map(([type, rows]) => [type, Object.keys(rows).sort()])),
    );
  });

  for (const [type, rows] of Object.entries(table)) {
    it(`of a ${type} is planned as an edit of that resource alone`, async () => {
      for (const [attribute, { action }] of Object.entries(rows)) {
        await terraform.converge(hcl(type, attribute, 'from'));
        terraform.configure(hcl(type, attribute, 'to'));
        await terraform.must(['plan', '-out=changed']);
        const plan = JSON.parse(await terraform.must(['show', '-json', 'changed'])) as ShownPlan;
        const changes = plan.resource_changes.filter(({ change }) => change.actions[0] !== 'no-op');
        assert.deepEqual(
          changes.map(({ address, change }) => [address, change.actions.join()]),
          action === 'nothing' ? [] : [[`${type}.it`, 'update']],
          attribute,
        );
        if (action === 'nothing') continue;
        const [{ before, after } = { before: null, after: null }] = changes.map(({ change }) => change);
        const isSameId = before?.id !== undefined && before.id === after?.id;
        assert.equal(isSameId ? 'edits' : 'edits to another id', action, attribute);
        await terraform.must(['apply', 'changed']);
        await terraform.assertNoChanges();
        await terraform.converge(hcl(type, attribute, 'to').replace('protected = true', 'protected = false'));
        await terraform.converge(base);
      }
    });
  }
});
