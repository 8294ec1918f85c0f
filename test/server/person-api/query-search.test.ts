import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

/** Recent, since the retention removes old queries at any moment. */
const began = Date.now() - 3_600_000;

/** Queries that were run, the oldest first, with what each of them ran. */
async function ran(
  person: string,
  dataSource: string,
  queries: readonly (readonly string[])[],
  editor: string | null = null,
): Promise<string[]> {
  const ids = queries.map(() => crypto.randomUUID());
  await withData(service.store, ({ store }) =>
    store.write([], async ({ db }) => {
      for (const [count, commands] of queries.entries()) {
        const at = new Date(began + Math.floor(count / 3) * 1000).toISOString();
        const id = ids[count] ?? '';
        const ended = { created_at: at, started_at: at, completed_at: at, success: 1, num_results: 0, lease_until: at };
        const of = {
          id,
          data_source_id: dataSource,
          person_id: person,
          editor_id: editor,
          runner: null,
          stop_reason: null,
        };
        await db
          .insertInto('query')
          .values({ ...of, ...ended })
          .execute();
        for (const [ordinal, text] of commands.entries()) {
          await db.insertInto('query_command').values({ query_id: id, ordinal, text }).execute();
        }
      }
    }),
  );
  return ids;
}

const find = (session: SignedIn, search: Record<string, string>) =>
  session.ok('listMyQueries', 'GET', `/query?${new URLSearchParams(search).toString()}`);
const idsOf = (queries: readonly { id: string }[]) => queries.map(({ id }) => id);

async function someone() {
  const [person, source] = [await make.person(), await make.dataSource()];
  const grant = await make.permission(source.id, person.id);
  return { person: person.id, source: source.id, grant: grant.id, session: await signedIn(service, person.id) };
}

describe('the search of the history', () => {
  it('finds a text in any command, in any case, and takes nothing in it for a pattern', async () => {
    const { person, source, session } = await someone();
    const [plain = '', second = '', percent = '', underscore = ''] = await ran(person, source, [
      ['SELECT * FROM Orders'],
      ['begin', `${'x'.repeat(2000)} orders`],
      ["select '100%!'"],
      ['select order_id'],
    ]);
    const search = async (text: string) => idsOf(await find(session, { search: text })).toSorted();
    assert.deepEqual(await search('orders'), [plain, second].toSorted());
    assert.deepEqual(await search('ORDERS'), [plain, second].toSorted());
    assert.deepEqual(await search('%'), [percent]);
    assert.deepEqual(await search('0%!'), [percent]);
    assert.deepEqual(await search('r_i'), [underscore]);
    assert.deepEqual(await search("' or 1=1 --"), []);
    assert.deepEqual(await search('\\'), []);
  });

  it('has pages that neither repeat nor leave out a query', async () => {
    const { person, source, session } = await someone();
    const texts = Array.from({ length: 160 }, (_, count) => [
      count % 3 === 0 ? `select ${count} as wanted` : 'select 1',
    ]);
    const wanted = (await ran(person, source, texts)).filter((_, count) => count % 3 === 0);
    const got: string[] = [];
    for (let before: string | undefined; ; before = got.at(-1)) {
      const page = await find(session, { search: 'WANTED', limit: '7', ...(before === undefined ? {} : { before }) });
      got.push(...idsOf(page));
      if (page.length < 7) break;
    }
    assert.equal(got.length, wanted.length);
    assert.deepEqual(got.toSorted(), wanted.toSorted());
  });

  it('neither shows nor searches texts of a data source that is not reached, or of another person', async () => {
    const { person, source, session, grant } = await someone();
    const other = await someone();
    await ran(person, source, [['select secret']]);
    const [theirs] = await ran(other.person, other.source, [['select secret']]);
    assert.deepEqual(idsOf(await find(other.session, { search: 'secret' })), [theirs]);
    await service.ok('DELETE', `/permission/${grant}`);
    assert.deepEqual(await find(session, { search: 'secret' }), []);
    assert.equal((await find(session, {})).length, 1);
    assert.deepEqual(await find(session, { search: 'secret', before: theirs ?? '' }), []);
  });

  it('finds what was run in one editor, however much was run elsewhere, and nothing in that of another person', async () => {
    const { person, source, session } = await someone();
    const other = await someone();
    const [{ id: editor }, { id: theirs }] = [
      await session.ok('openEditor', 'POST', `/data-source/${source}/editor`),
      await other.session.ok('openEditor', 'POST', `/data-source/${other.source}/editor`),
    ];
    const here = await ran(person, source, [['select 1 as wanted'], ['select 2']], editor);
    await ran(
      person,
      source,
      Array.from({ length: 120 }, () => ['select 3 as wanted']),
    );
    await ran(other.person, other.source, [['select wanted']], theirs);
    assert.deepEqual(idsOf(await find(session, { editor })).toSorted(), here.toSorted());
    assert.deepEqual(idsOf(await find(session, { editor, search: 'wanted' })), [here[0]]);
    assert.deepEqual(await find(session, { editor: theirs }), []);
    assert.deepEqual(await find(session, { editor: theirs, search: 'wanted' }), []);
    assertProblem(await session.call('GET', '/query?editor='), 400, 'malformed_parameter');
  });

  it('takes 1 to 200 characters', async () => {
    const { session } = await someone();
    assert.deepEqual(await find(session, { search: 'x'.repeat(200) }), []);
    for (const search of ['', 'x'.repeat(201)]) {
      assertProblem(await session.call('GET', `/query?search=${search}`), 400, 'malformed_parameter');
    }
  });
});
