import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OwnedObject, type PersonRoute, personRouteTable } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { exampleRequest } from './example-request.ts';

/** Every route of the person's API, tried by everyone whom its rule keeps out. */
const adminRole = 'administrators';
const service = await startTestService({ adminRole });
const make = makers(service);
const routes = Object.values(personRouteTable);

const codeOf = ({ body }: { body: unknown }) => (body as { code?: string } | undefined)?.code;

/** Things of one person, for each parameter that a route can name. */
async function belongings(person: string, dataSource: string): Promise<Record<OwnedObject, string>> {
  const session = await signedIn(service, person);
  const snippet = (await make.snippet({ owner: 'person', ownerPersonId: person })).id;
  const ids = {
    factor: `f${person}`,
    editor: `e${person}`,
    query: crypto.randomUUID(),
    snippet,
    password: `p${person}`,
    gatewaySession: `g${person}`,
  };
  const at = new Date().toISOString();
  await withData(service.store, ({ store, seal }) =>
    store.write([], async ({ db }) => {
      const factor = { id: ids.factor, person_id: person, kind: 'totp', name: 'phone', lookup: null, counter: 0 };
      const sealed = seal.close('{}', ids.factor);
      await db
        .insertInto('sign_in_factor')
        .values({ ...factor, sealed, created_at: at, last_used_at: null })
        .execute();
      const editor = { id: ids.editor, person_id: person, data_source_id: dataSource, created_at: at, updated_at: at };
      await db.insertInto('editor').values(editor).execute();
      const owner = { person_id: person, data_source_id: dataSource, session_id: session.session };
      const times = { created_at: at, expires_at: '2100-01-01T00:00:00.000Z' };
      await db
        .insertInto('gateway_password')
        .values({ id: ids.password, ...owner, sealed, ...times })
        .execute();
      const gateway = { id: ids.gatewaySession, process_id: 'none', person_id: person, data_source_id: dataSource };
      const client = { protocol: 'postgresql', address: '192.0.2.7', client: 'psql' };
      await db
        .insertInto('gateway_session')
        .values({ ...gateway, ...client, started_at: at, end_reason: null })
        .execute();
      const query = { id: ids.query, data_source_id: dataSource, person_id: person, editor_id: ids.editor };
      const ended = { created_at: at, started_at: at, completed_at: at, success: 1, num_results: 0, lease_until: at };
      await db
        .insertInto('query')
        .values({ ...query, ...ended, runner: null, stop_reason: null })
        .execute();
    }),
  );
  return { ...ids, session: session.session };
}

const dataSource = (await make.dataSource()).id;
const ada = (await make.person()).id;
await make.permission(dataSource, ada);
const named = { ...(await belongings(ada, dataSource)), dataSource };
const ben = (await make.person()).id;

const send = (route: PersonRoute, { call }: Pick<SignedIn, 'call'>) => {
  const { path, ...body } = exampleRequest(route, named);
  return call(route.method, path, body);
};

const administration = routes.filter(({ admin }) => admin === true);

const closed = routes.filter(({ session }) => session !== 'none');

describe("every route of the person's API", () => {
  it('is closed to callers without a session, unless it is one of a sign-in', async () => {
    const call: SignedIn['call'] = (method, path, what) =>
      service.call(method, `/person/v1${path}`, { ...what, key: null });
    for (const route of closed) {
      const answer = await send(route, { call });
      assert.equal(answer.status, 401, route.operationId);
      assert.equal(codeOf(answer), 'signed_out', route.operationId);
    }
  });

  it('is closed to a session that lacks its second factor, unless it says otherwise', async () => {
    const open = { pending: ['pending'], enrolling: ['pending', 'enrolling'] };
    for (const state of ['pending', 'enrolling'] as const) {
      for (const route of closed.filter(({ session }) => !open[state].includes(session))) {
        const answer = await send(route, await signedIn(service, ada, { state }));
        assert.equal(codeOf(answer), 'second_factor_required', `${route.operationId} ${state}`);
      }
    }
  });

  it('that needs a proof of the person is closed to the command line, whose session a browser has given it', async () => {
    const session = await signedIn(service, ada, { kind: 'command_line' });
    for (const route of closed.filter(({ session }) => session === 'recent' || session === 'enrolling')) {
      if (route.admin === true) continue;
      assert.equal(codeOf(await send(route, session)), 'recent_sign_in_required', route.operationId);
    }
  });

  it('is closed to a person who is locked', async () => {
    const cid = (await make.person()).id;
    const session = await signedIn(service, cid);
    await service.ok('PUT', `/person/${cid}/lock`);
    for (const route of closed) assert.equal(codeOf(await send(route, session)), 'signed_out', route.operationId);
  });

  it('does not show one person what belongs to another', async () => {
    const session = await signedIn(service, ben);
    for (const route of closed.filter(({ ownObject }) => ownObject !== undefined)) {
      const answer = await send(route, session);
      assert.equal(answer.status, 404, `${route.operationId}: ${answer.text}`);
    }
  });

  it('that needs access is closed to a person who has none', async () => {
    const session = await signedIn(service, ben);
    for (const route of closed.filter(({ reaches, ownObject }) => reaches === true && ownObject === undefined)) {
      const answer = await send(route, session);
      assert.equal(answer.status, 404, `${route.operationId}: ${answer.text}`);
    }
  });

  it('that needs access is closed to a person whose access has ended, to their own things too', async () => {
    const dan = (await make.person()).id;
    const session = await signedIn(service, dan);
    const own = { ...(await belongings(dan, dataSource)), dataSource };
    for (const route of closed.filter(({ reaches }) => reaches === true)) {
      const { path, ...body } = exampleRequest(route, own);
      const answer = await session.call(route.method, path, body);
      assert.ok(answer.status === 403 || answer.status === 404, `${route.operationId}: ${answer.text}`);
    }
  });

  it('names something of the person in its path only where its rule finds it by the person', () => {
    const owned: readonly string[] = ['session', 'factor', 'editor', 'query', 'snippet', 'password', 'gatewaySession'];
    // What administrators name is found by its id: that they are administrators is the rule.
    for (const { operationId, params, ownObject } of routes.filter(({ admin }) => admin !== true)) {
      for (const name of Object.keys(params.shape).filter((one) => owned.includes(one))) {
        assert.equal(ownObject, name, operationId);
      }
    }
  });

  it('for administrators is closed to everyone else: people without the role, and who had it a moment ago', async () => {
    assert.equal(administration.length, 13);
    const eve = (await make.person()).id;
    const session = await signedIn(service, eve);
    const refused = async (what: string) => {
      for (const route of administration) {
        assert.equal(codeOf(await send(route, session)), 'not_administrator', `${route.operationId} ${what}`);
      }
    };
    await refused('while there is no such role');
    const role = (await make.role(adminRole)).id;
    const other = (await make.role(`${adminRole} `.trim().toUpperCase().concat('X'))).id;
    await service.ok('PUT', `/role/${other}/person/${eve}`);
    await refused('in another role');
    await service.ok('PUT', `/role/${role}/person/${eve}`);
    for (const route of administration.filter(({ method }) => method === 'GET')) {
      assert.notEqual(codeOf(await send(route, session)), 'not_administrator', route.operationId);
    }
    await service.ok('DELETE', `/role/${role}/person/${eve}`);
    await refused('any more');
  });

  it('under the path of the administration, and only there, is for administrators', () => {
    for (const { operationId, path, admin } of routes) {
      assert.equal(admin === true, path.startsWith('/person/v1/admin/'), operationId);
    }
  });

  it('that names a data source asks the gate, except the one that tells what the gate says', () => {
    for (const { operationId, params, reaches } of routes.filter((one) => one.operationId !== 'getMyAccess')) {
      if ('dataSource' in params.shape) assert.equal(reaches, true, operationId);
    }
  });
});
