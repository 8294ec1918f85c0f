import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Managed } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import pg from 'pg';
import type { Entry } from '../../server/audit/entry.ts';
import { requireRoom } from '../../server/handlers/declaration.ts';
import { Refusal } from '../../server/refusal.ts';
import { makers } from './support/make.ts';
import { assertProblem } from './support/match.ts';
import { signedIn } from './support/person.ts';
import { type Call, startTestService } from './support/service.ts';
import { askStore, storeKind } from './support/stores.ts';

const service = await startTestService();
const make = makers(service);

/** A request by a manager for a definition, as `Person/ada; keep`. */
const by = (manager: string, definition?: string): { headers: Record<string, string> } => ({
  headers: {
    'rolecall-manager': manager,
    ...(definition === undefined ? {} : { 'rolecall-definition': definition }),
  },
});

/** What is remembered of objects, as `MANAGER KIND ID DEFINITION` with `keep` behind it. */
async function rows(...ids: string[]): Promise<string[]> {
  const all = await askStore(service.store, 'select manager, kind, id, definition, is_kept from declaration');
  return all
    .filter(({ id }) => ids.some((part) => String(id).split('/').includes(part)))
    .map(({ manager, kind, id, definition, is_kept: isKept }) =>
      [manager, kind, id, definition, ...(Number(isKept) === 1 ? ['keep'] : [])].join(' '),
    )
    .sort();
}

const record = (manager: string, json: unknown, call: Call = {}) =>
  service.call('PATCH', '/declaration', { json, ...by(manager), ...call });

let count = 0;
const newPerson = () => {
  count += 1;
  return { name: 'Grace', username: `grace${count}`, email: `grace${count}@example.com` };
};

describe('the header rolecall-definition', () => {
  it('records what a creation and an edit write, with whether it is kept', async () => {
    const created = await service.ok<{ id: string }>('POST', '/person', {
      form: newPerson(),
      ...by('rolecall/a', 'Person/grace'),
    });
    assert.deepEqual(await rows(created.id), [`rolecall/a person ${created.id} Person/grace`]);
    const path = `/person/${created.id}`;
    await service.ok('PATCH', path, { json: { name: 'Grace H' }, ...by('rolecall/a', 'Person/grace; keep') });
    await service.ok('PATCH', path, { json: { name: 'Grace M' }, ...by('rolecall/b; exact', 'Person/g.hopper') });
    assert.deepEqual(await rows(created.id), [
      `rolecall/a person ${created.id} Person/grace keep`,
      `rolecall/b person ${created.id} Person/g.hopper`,
    ]);
    await service.ok('PATCH', path, { json: { name: 'Grace' }, ...by('rolecall/a', 'Person/grace') });
    assert.equal((await rows(created.id))[0], `rolecall/a person ${created.id} Person/grace`);
  });

  it('records a membership by its two identifiers, a permission by its number', async () => {
    const [person, role, source] = [await make.person(), await make.role(), await make.dataSource()];
    const membership = `${role.id}/${person.id}`;
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`, by('rolecall/a; exact', 'Role/analysts'));
    const { id } = await service.ok<{ id: string }>(
      'POST',
      `/data-source/${source.id}/permission/person/${person.id}`,
      { form: { duration: '60' }, ...by('rolecall/a', 'Permission/p') },
    );
    assert.deepEqual(await rows(person.id, id), [
      `rolecall/a permission ${id} Permission/p`,
      `rolecall/a role_person ${membership} Role/analysts`,
    ]);
  });

  it('records nothing for a request that changes nothing, is refused, or writes no object of a definition', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const path = `/role/${role.id}/person/${person.id}`;
    await service.ok('PUT', path);
    await service.ok('PUT', path, by('rolecall/a', 'Role/x'));
    await service.ok('PUT', `/person/${person.id}/unlock`, by('rolecall/a', 'Person/x'));
    const taken = { json: { username: (await make.person()).username }, ...by('rolecall/a', 'Person/x') };
    assert.equal((await service.call('PATCH', `/person/${person.id}`, taken)).status, 409);
    const stale = { ...by('rolecall/a', 'Person/x').headers, 'if-match': '"stale"' };
    const edit = { json: { name: 'Other' }, headers: stale };
    assert.equal((await service.call('PATCH', `/person/${person.id}`, edit)).status, 412);
    const snippet = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    const { id } = await service.ok<{ id: string }>('POST', `/snippet/${snippet.id}/version`, {
      form: { name: 'v', description: '', text: 'select 2' },
      ...by('rolecall/a', 'Snippet/x'),
    });
    // The snippet loses its owner along with it.
    await service.ok('DELETE', `/role/${role.id}`, by('rolecall/a', 'Role/x'));
    assert.deepEqual(await rows(person.id, role.id, snippet.id, id), []);
  });

  it('records a creation once, however often it is sent with its key', async () => {
    const { headers } = by('rolecall/a', 'Role/once');
    const form = { name: `once${newPerson().username}` };
    const create = () =>
      service.ok<{ id: string }>('POST', '/role', { form, headers: { ...headers, 'idempotency-key': '"once"' } });
    const { id } = await create();
    await record('rolecall/a', { forgotten: [{ kind: 'role', id, definition: 'Role/once' }] });
    assert.equal((await create()).id, id);
    assert.deepEqual(await rows(id), [], 'the answer was repeated, and nothing done');
  });

  it('is refused where it is malformed or names no manager, and nothing is written', async () => {
    const person = await make.person();
    const path = `/person/${person.id}/lock`;
    const longest = `Person/${'a'.repeat(253)}`;
    for (const text of [
      '',
      'ada',
      'person/ada',
      'P/ada',
      'Person/',
      'Person/Ada',
      'Person/-a',
      'Person/a-',
      'Person/a;keep',
    ]) {
      assertProblem(await service.call('PUT', path, by('rolecall/a', text)), 400, 'malformed_request');
    }
    for (const text of [`${longest}a`, `${'A'.repeat(32)}/a`, 'Person/a; keep; keep', 'Person/a; exact', 'Person/é']) {
      assertProblem(await service.call('PUT', path, by('rolecall/a', text)), 400, 'malformed_request');
    }
    const alone = { headers: { 'rolecall-definition': 'Person/ada' } };
    assertProblem(await service.call('PUT', path, alone), 400, 'malformed_request');
    assert.equal((await service.ok('GET', `/person/${person.id}`))['isLocked'], false);
    await service.ok('PUT', path, by('rolecall/a', `${longest}; keep`));
    assert.deepEqual(await rows(person.id), [`rolecall/a person ${person.id} ${longest} keep`]);
  });

  it('costs at most one statement more', async () => {
    const costs = async (call: () => object): Promise<number> => {
      const seen: number[] = [];
      // What the service does by itself meanwhile only adds to it.
      for (let round = 0; round < 8; round += 1) {
        const statements = countStatements();
        await service.ok('POST', '/person', { form: newPerson(), ...call() });
        seen.push(statements());
      }
      return Math.min(...seen);
    };
    const plain = await costs(() => by('rolecall/a'));
    const declared = await costs(() => by('rolecall/a', 'Person/grace'));
    assert.ok(plain > 3, `${plain} statements are too few to be all`);
    assert.ok(declared <= plain + 1, `${declared} statements instead of ${plain}`);
  });
});

/** Counts the statements that the store gets from now on. @returns how many they were, and ends the count */
function countStatements(): () => number {
  const [owner, name] =
    storeKind === 'sqlite' ? ([StatementSync.prototype, 'all'] as const) : ([pg.Client.prototype, 'query'] as const);
  const methods = owner as unknown as Record<string, (...args: unknown[]) => unknown>;
  const method = methods[name]!;
  let statements = 0;
  methods[name] = function counted(...args: unknown[]) {
    statements += 1;
    return method.apply(this, args);
  };
  return () => {
    methods[name] = method;
    return statements;
  };
}

describe('what was declared', () => {
  it('is forgotten with its object, and also with what goes along with a person, a role or a data source', async () => {
    const [ada, bob] = [await make.person(), await make.person()];
    const [role, other] = [await make.role(), await make.role()];
    const [source, second] = [await make.dataSource(), await make.dataSource()];
    const declare = (path: string, definition: string) => service.ok('PUT', path, by('rolecall/a', definition));
    for (const { id } of [role, other]) {
      for (const person of [ada, bob]) await declare(`/role/${id}/person/${person.id}`, 'Role/r');
      for (const data of [source, second]) await declare(`/role/${id}/data-source/${data.id}`, 'Role/r');
    }
    const grants = [
      await make.permission(source.id, ada.id),
      await make.permission(second.id, ada.id),
      await make.permission(source.id, bob.id),
    ];
    const declared = [
      ...[ada, bob].map(({ id }) => ({ kind: 'person', id, definition: 'Person/p', isKept: true })),
      ...[role, other].map(({ id }) => ({ kind: 'role', id, definition: 'Role/r', isKept: false })),
      ...[source, second].map(({ id }) => ({ kind: 'data_source', id, definition: 'DataSource/d', isKept: false })),
      ...grants.map(({ id }) => ({ kind: 'permission', id, definition: 'Permission/p', isKept: false })),
    ];
    assert.equal((await record('rolecall/a', { declared })).status, 200);
    assert.equal((await record('rolecall/b', { declared })).status, 200);
    const ids = [ada, bob, role, other, source, second, ...grants].map(({ id }) => id);
    assert.equal((await rows(...ids)).length, 8 + 2 * declared.length);
    await service.ok('PUT', `/person/${ada.id}/lock`);
    await service.ok('DELETE', `/person/${ada.id}`);
    assert.deepEqual(await rows(ada.id, grants[0]!.id, grants[1]!.id), []);
    await service.ok('DELETE', `/role/${other.id}`);
    assert.deepEqual(await rows(other.id), []);
    await service.ok('DELETE', `/data-source/${source.id}`);
    assert.deepEqual(await rows(source.id, grants[2]!.id), []);
    await service.ok('DELETE', `/role/${role.id}/person/${bob.id}`);
    assert.deepEqual(
      await rows(...ids),
      [
        ...['rolecall/a', 'rolecall/b'].flatMap((manager) => [
          `${manager} data_source ${second.id} DataSource/d`,
          `${manager} person ${bob.id} Person/p keep`,
          `${manager} role ${role.id} Role/r`,
        ]),
        `rolecall/a role_data_source ${role.id}/${second.id} Role/r`,
      ].sort(),
    );
  });

  it('and who manages it are forgotten with a snippet that a person deletes on the page', async () => {
    const { id } = await make.snippet({ publicAccessLevel: 'manage' });
    await service.ok('PUT', `/snippet/${id}/lock`, by('rolecall/a', 'Snippet/s'));
    await service.ok('PUT', `/snippet/${id}/unlock`, by('rolecall/a', 'Snippet/s'));
    assert.deepEqual(await rows(id), [`rolecall/a snippet ${id} Snippet/s`]);
    const session = await signedIn(service, (await make.person()).id);
    assert.equal((await session.call('DELETE', `/snippet/${id}`)).status, 200);
    assert.deepEqual(await rows(id), []);
    assert.equal(
      (await service.ok<Managed[]>('GET', '/manager')).some((managed) => managed.id === id),
      false,
    );
  });

  it('is recorded by a call of its own, which passes over what is not there and tells how many were news', async () => {
    const [person, role, source] = [await make.person(), await make.role(), await make.dataSource()];
    const { id } = await make.permission(source.id, person.id);
    const snippet = await make.snippet();
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    const one = (kind: string, some: string) => ({ kind, id: some, definition: 'Kind/name', isKept: false });
    const there = [
      one('person', person.id),
      one('role', role.id),
      one('data_source', source.id),
      one('permission', id),
      one('snippet', snippet.id),
      one('role_person', `${role.id}/${person.id}`),
      one('role_data_source', `${role.id}/${source.id}`),
    ];
    const nowhere = [
      one('person', 'nobody'),
      one('person', role.id),
      one('permission', '999999999999999999'),
      one('permission', 'letters'),
      one('role_person', role.id),
      one('role_person', `${person.id}/${role.id}`),
      one('role_data_source', `${role.id}/${person.id}`),
    ];
    const kept = { ...there[0]!, isKept: true };
    const again = { ...one('person', person.id), definition: 'Kind/other' };
    const answer = await record('rolecall/a', { declared: [...there, ...nowhere, again, kept] });
    assert.deepEqual(answer.body, { declared: 8, forgotten: 0 });
    const expected = [...there.slice(1), again].map((row) => `rolecall/a ${row.kind} ${row.id} ${row.definition}`);
    const ids = [person.id, role.id, source.id, id, snippet.id, 'nobody'];
    assert.deepEqual(await rows(...ids), [...expected, `rolecall/a person ${person.id} Kind/name keep`].sort());
    const same = await record('rolecall/a', { declared: [...there.slice(1), kept] });
    assert.deepEqual(same.body, { declared: 0, forgotten: 0 });
    const less = await record('rolecall/a', { declared: there });
    assert.deepEqual(less.body, { declared: 1, forgotten: 0 }, 'it is not kept any more');
  });

  it('is forgotten by its own manager only, and declared where it stands in both', async () => {
    const { id } = await make.person();
    const row = { kind: 'person', id, definition: 'Person/p' };
    for (const manager of ['rolecall/a', 'rolecall/b']) {
      await record(manager, {
        declared: [
          { ...row, isKept: false },
          { ...row, definition: 'Person/q', isKept: false },
        ],
      });
    }
    const forgotten = [row, { ...row, definition: 'Person/unknown' }, { ...row, id: 'nobody' }];
    assert.deepEqual((await record('rolecall/a', { forgotten })).body, { declared: 0, forgotten: 1 });
    assert.deepEqual(await rows(id), [
      `rolecall/a person ${id} Person/q`,
      `rolecall/b person ${id} Person/p`,
      `rolecall/b person ${id} Person/q`,
    ]);
    const both = { forgotten: [row], declared: [{ ...row, isKept: true }] };
    assert.deepEqual((await record('rolecall/b', both)).body, { declared: 1, forgotten: 1 });
    assert.equal((await rows(id))[1], `rolecall/b person ${id} Person/p keep`);
  });

  it('is recorded in one entry of the audit trail for each call that changed something', async () => {
    const { id } = await make.person();
    const row = { kind: 'person', id, definition: 'Person/p' };
    const entries = () => service.ok<Entry[]>('GET', '/audit');
    const recorded = async () => (await entries()).filter(({ operation }) => operation === 'recordDeclarations');
    const before = (await recorded()).length;
    const body = { origin: 'git.internal/access', declared: [{ ...row, isKept: true }] };
    await record('rolecall/audited', body);
    await record('rolecall/audited', body);
    await record('rolecall/audited', { forgotten: [row] });
    await record('rolecall/audited', { forgotten: [row] });
    await record('rolecall/audited', {});
    const shared = { kind: 'declaration', id: 'rolecall/audited', action: 'recorded' };
    assert.deepEqual(
      (await recorded()).slice(before).map(({ changes }) => changes),
      [
        [{ ...shared, after: { forgotten: 0, declared: 1, origin: 'git.internal/access' } }],
        [{ ...shared, after: { forgotten: 1, declared: 0 } }],
      ],
    );
    const managed = await service.ok<Managed[]>('GET', '/manager');
    assert.deepEqual(
      managed.filter(({ manager }) => manager === 'rolecall/audited'),
      [],
      'it wrote no object',
    );
  });

  it('is recorded with a key of scope write that is not limited, and by a manager', async () => {
    const limited = await createKey({ ...service.store, scope: 'admin', dataSources: [(await make.dataSource()).id] });
    const body = { origin: 'x' };
    assertProblem(await record('rolecall/a', body, { key: null }), 401, 'unauthenticated');
    assertProblem(await record('rolecall/a', body, { key: service.keys.read }), 403, 'insufficient_scope');
    assertProblem(await record('rolecall/a', body, { key: limited }), 403, 'insufficient_scope');
    const grant = { json: { duration: 60 }, key: limited, ...by('rolecall/a', 'Permission/x') };
    const path = `/data-source/${limited.dataSources?.[0] ?? ''}/permission/person/${(await make.person()).id}`;
    assertProblem(await service.call('POST', path, grant), 403, 'insufficient_scope');
    assertProblem(await service.call('PATCH', '/declaration', { json: body }), 400, 'malformed_request');
    assertProblem(await record('a b', body), 400, 'malformed_request');
    assert.equal((await record('rolecall/a', body, { key: service.keys.write })).status, 200);
  });

  it('is bounded in a request, which is refused whole beyond it', async () => {
    const { id } = await make.person();
    const row = { kind: 'person', id, definition: 'Person/p' };
    const declared = Array.from({ length: 5001 }, (_, index) => ({
      ...{ ...row, definition: `Person/p${index}` },
      isKept: false,
    }));
    const wrong: unknown[] = [
      { declared },
      { forgotten: declared.map(({ isKept: _not, ...rest }) => rest) },
      { origin: 'x'.repeat(4001) },
      { origin: '' },
      { origin: '\u0000' },
      { declared: [{ ...row, isKept: false, manager: 'rolecall/b' }] },
      { declared: [row] },
      { declared: [{ ...row, isKept: false, kind: 'editor' }] },
      { declared: [{ ...row, isKept: false, definition: 'Person/p; keep' }] },
      { forgotten: [{ ...row, id: 'a/b/c' }] },
      { unknown: true },
    ];
    for (const body of wrong) assertProblem(await record('rolecall/a', body), 422, 'invalid_fields');
    const long = { declared: [{ ...row, isKept: false, more: 'x'.repeat(4 * 1024 * 1024) }] };
    assertProblem(await record('rolecall/a', long), 413, 'payload_too_large');
    assert.deepEqual(await rows(id), []);
    const most = { origin: 'é'.repeat(4000), declared: declared.slice(1) };
    assert.deepEqual((await record('rolecall/a', most)).body, { declared: 5000, forgotten: 0 });
    const forgotten = most.declared.map(({ isKept: _not, ...rest }) => rest);
    assert.deepEqual((await record('rolecall/a', { ...most, forgotten })).body, { declared: 5000, forgotten: 5000 });
    await service.ok('PUT', `/person/${id}/lock`);
    await service.ok('DELETE', `/person/${id}`);
    assert.deepEqual(await rows(id), []);
  });
});

function isRefusal(path: string, message: RegExp) {
  return (error: unknown) =>
    error instanceof Refusal &&
    error.code === 'invalid_fields' &&
    error.errors?.[0]?.path === path &&
    message.test(error.message);
}

describe('all that is declared', () => {
  it('is bounded, with the remedy where it would be too much', () => {
    requireRoom({ definitions: 1_000_000, origins: 10_000 });
    assert.throws(
      () => {
        requireRoom({ definitions: 1_000_001, origins: 1 });
      },
      isRefusal('declared', /first send those that are gone as `forgotten`/),
    );
    assert.throws(
      () => {
        requireRoom({ definitions: 1, origins: 10_001 });
      },
      isRefusal('origin', /use the name of a manager/),
    );
  });

  it('keeps nothing of a call beyond the bound', async () => {
    const { id } = await make.person();
    const declared = [{ kind: 'person', id, definition: 'Person/p', isKept: false }];
    await askStore(
      service.store,
      `insert into declaration_origin (manager, origin, at)
        with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 10000)
        select 'bulk/' || cast(number as text), 'x', '' from numbers`,
    );
    assertProblem(await record('rolecall/one-too-many', { origin: 'x', declared }), 422, 'invalid_fields');
    assert.deepEqual(await rows(id), []);
    await askStore(service.store, "delete from declaration_origin where manager like 'bulk/%'");
    assert.equal((await record('rolecall/one-too-many', { origin: 'x' })).status, 200);
  });
});
