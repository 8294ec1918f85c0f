import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DataSource, type DataSourceDetail, redactConnectionUri } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertFields, assertProblem, assertRecent, shortId } from '../support/match.ts';
import { emptySqlite } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const uri = 'postgresql://reporting:s3cr%40t@db.internal:5433/billing?sslmode=require';
const shownUri = 'postgresql://reporting@db.internal:5433';

describe('data sources', () => {
  it('answer their creation with the whole connection URI and the type that it says', async () => {
    const form = { name: 'Billing (production)', alias: 'billing', configUri: uri };
    const { id, createdAt, updatedAt, ...rest } = await service.ok('POST', '/data-source', { form });
    assert.match(String(id), shortId);
    assertRecent(String(createdAt));
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, { ...form, type: 'postgresql' });
  });

  it('show the password in detail only, elsewhere user, host and port', async () => {
    const source = await make.dataSource({ configUri: uri });
    const shown = { ...source, configUri: shownUri };
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}`), shown);
    assert.deepEqual((await service.ok<DataSource[]>('GET', '/data-source')).at(-1), shown);
    assert.deepEqual(await service.ok('GET', `/data-source/${source.id}/detail`), source);
  });

  it('have each type that a scheme can say', async () => {
    for (const [configUri, type] of [
      ['mysql://root@db/shop', 'mysql'],
      ['mariadb://root@db/shop', 'mariadb'],
      ['sqlite:///tmp/x.db', 'sqlite'],
    ] as const) {
      assert.equal((await make.dataSource({ configUri })).type, type);
    }
  });

  it('refuse other schemes and parameters, and never repeat the URI', async () => {
    for (const configUri of ['oracle://a:hunter2@db/x', 'postgresql://a:hunter2@db/x?sslkey=/etc/passwd', 'x']) {
      const answer = await service.call('POST', '/data-source', { form: { name: 'x', configUri } });
      assertFields(answer, 422, 'invalid_fields', ['configUri']);
      assert.ok(!answer.text.includes('hunter2'), answer.text);
    }
  });

  it('may have no alias: left out, empty or null', async () => {
    const fields = { name: 'x', configUri: 'sqlite:///tmp/x.db' };
    for (const call of [
      { form: fields },
      { form: { ...fields, alias: '' } },
      { json: fields },
      { json: { ...fields, alias: null } },
      { json: { ...fields, alias: '' } },
    ]) {
      assert.equal((await service.ok('POST', '/data-source', call))['alias'], null);
    }
  });

  it('have aliases that are unique, on creation and on update', async () => {
    const { alias } = await make.dataSource();
    const form = { name: 'x', alias: String(alias), configUri: 'sqlite:///tmp/x.db' };
    assertFields(await service.call('POST', '/data-source', { form }), 409, 'alias_taken', ['alias']);
    const other = await make.dataSource();
    const answer = await service.call('POST', `/data-source/${other.id}`, { form: { alias: String(alias) } });
    assertFields(answer, 409, 'alias_taken', ['alias']);
    assert.deepEqual(await service.ok('GET', `/data-source/${other.id}/detail`), other);
  });

  it('show their password to no one who changes something else, not even to a key that may read it, since no reading is recorded', async () => {
    const { id } = await make.dataSource({ configUri: 'postgresql://u:hidden@db/x?application_name=y' });
    const update = async (key: typeof service.keys.write, form: Record<string, string>) =>
      (await service.ok('POST', `/data-source/${id}`, { key, form }))['configUri'];
    for (const form of [{}, { name: 'Renamed' }, { alias: '' }]) {
      assert.equal(await update(service.keys.write, form), 'postgresql://u@db', JSON.stringify(form));
      assert.equal(await update(service.keys.admin, form), 'postgresql://u@db', JSON.stringify(form));
    }
    const sent = 'postgresql://u:sent@db/x';
    assert.equal(await update(service.keys.write, { configUri: sent }), sent);
  });

  it('change only the fields that an update sends, and are a little younger each time', async () => {
    const source = await make.dataSource({ configUri: uri });
    const update = (form: Record<string, string>) =>
      service.ok<DataSourceDetail>('POST', `/data-source/${source.id}`, { form });
    const renamed = await update({ name: 'Renamed' });
    const shown = redactConnectionUri(uri);
    assert.deepEqual(renamed, { ...source, configUri: shown, name: 'Renamed', updatedAt: renamed.updatedAt });
    const unaliased = await update({ alias: '' });
    assert.deepEqual(unaliased, { ...renamed, alias: null, updatedAt: unaliased.updatedAt });
    const moved = await update({ configUri: 'mysql://root:pw@other/shop' });
    assert.deepEqual(moved, {
      ...unaliased,
      type: 'mysql',
      configUri: 'mysql://root:pw@other/shop',
      updatedAt: moved.updatedAt,
    });
    const times = [source, renamed, unaliased, moved].map(({ updatedAt }) => updatedAt);
    assert.deepEqual(times, [...new Set(times)].sort(), 'updatedAt must increase');
    assert.deepEqual(
      await update({}),
      { ...moved, configUri: 'mysql://root@other' },
      'an update that sends nothing changes nothing',
    );
    assert.equal((await service.ok('GET', `/data-source/${source.id}`))['configUri'], 'mysql://root@other');
  });

  it('take their new name into the lists of permissions and editors', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    await make.permission(source.id, person.id);
    await make.editor(person, source);
    await Promise.all(['/permission', '/editor'].map((list) => service.ok('GET', list)));
    await service.ok('POST', `/data-source/${source.id}`, { form: { name: 'Renamed once more' } });
    for (const list of ['/permission', '/editor']) {
      const last = (await service.ok<{ dataSource: unknown }[]>('GET', list)).at(-1);
      assert.deepEqual(last?.dataSource, { id: source.id, name: 'Renamed once more', alias: source.alias });
    }
  });

  it('are really connected to by the test operation', async () => {
    const folder = await temporaryFolder();
    const missing = await make.dataSource({ configUri: `sqlite://${folder}/missing/x.db` });
    const failed = await service.ok('POST', `/data-source/${missing.id}/test`);
    assert.equal(failed['success'], false);
    assert.equal(typeof failed['message'], 'string');
    assert.deepEqual(Object.keys(failed).sort(), ['message', 'success']);
    const own = await make.dataSource({ configUri: await emptySqlite(folder) });
    const reached = await service.ok('POST', `/data-source/${own.id}/test`);
    assert.equal(reached['success'], true, JSON.stringify(reached));
    const version = reached['version'] as Record<string, unknown>;
    assert.deepEqual(Object.keys(version).sort(), ['major', 'minor', 'patch', 'productName', 'productVersion']);
    assert.equal(version['productName'], 'SQLite');
  });

  it('take memberships, permissions and editors along when deleted', async () => {
    const [person, source, role] = [await make.person(), await make.dataSource(), await make.role()];
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    const permission = await make.permission(source.id, person.id);
    const editor = await make.editor(person, source);
    assert.deepEqual(await service.ok('DELETE', `/data-source/${source.id}`), {});
    assertProblem(await service.call('GET', `/data-source/${source.id}`), 404, 'not_found');
    assertProblem(await service.call('DELETE', `/data-source/${source.id}`), 404, 'not_found');
    assertProblem(await service.call('GET', `/permission/${permission.id}`), 404, 'not_found');
    assertProblem(await service.call('GET', `/editor/${editor.id}`), 404, 'not_found');
    for (const list of [
      `/role/${role.id}/data-source`,
      `/person/${person.id}/permission`,
      `/person/${person.id}/editor`,
    ]) {
      assert.deepEqual(await service.ok('GET', list), []);
    }
    const lists = await Promise.all(['/permission', '/editor', '/data-source'].map((list) => service.ok('GET', list)));
    assert.ok(!JSON.stringify(lists).includes(source.id), 'a list still shows the data source');
  });

  it('that do not exist are not found by any operation', async () => {
    const operations = [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['DELETE', '/permission'],
      ['GET', '/detail'],
      ['POST', '/test'],
      ['GET', '/editor'],
      ['GET', '/permission'],
      ['GET', '/role'],
    ] as const;
    for (const [method, rest] of operations) {
      assertProblem(await service.call(method, `/data-source/nothing${rest}`), 404, 'not_found');
    }
  });
});
