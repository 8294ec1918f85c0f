import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { personEvents } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { streamLimits } from '../../../server/person-api/events/event-streams.ts';
import { type OpenEvents, openEvents } from '../support/events.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { storeKind } from '../support/stores.ts';

/** Administrators work with one replica, people with another where the store can have two. */
const service = await startTestService();
const replica = storeKind === 'postgresql' ? await startTestService(service.store) : service;
const make = makers(service);

/** An editor of a person, past the API. */
async function makeEditor(person: string, dataSource: string): Promise<string> {
  const id = `e${person}`;
  const at = new Date().toISOString();
  await withData(service.store, ({ store }) =>
    store.write([], async ({ db }) => {
      const editor = { id, person_id: person, data_source_id: dataSource, created_at: at, updated_at: at };
      await db.insertInto('editor').values(editor).execute();
    }),
  );
  return id;
}

async function personWithEditor() {
  const [person, source] = [await make.person(), await make.dataSource()];
  const editor = await makeEditor(person.id, source.id);
  const session = await signedIn(replica, person.id);
  const post = (title: string) =>
    service.ok<{ id: string }>('POST', `/editor/${editor}/message`, {
      json: { title, message: `${title}\n\ndata: {}` },
    });
  return { person, source, editor, ...session, post };
}

describe('the stream of events', () => {
  it('brings a message to the person at once, and its deletion, and to no one else', async () => {
    const [ada, ben] = [await personWithEditor(), await personWithEditor()];
    await using events = await openEvents(replica.url, ada.token);
    await using others = await openEvents(replica.url, ben.token);
    const { id } = await ada.post('first');
    const message = await events.next('message');
    assert.deepEqual([message.id, message.editorId, message.message], [id, ada.editor, 'first\n\ndata: {}']);
    await service.ok('DELETE', `/editor/${ada.editor}/message/${id}`);
    assert.deepEqual(await events.next('message_deleted'), { id });
    await ben.post('second');
    await others.next('message', ({ title }) => title === 'second');
    assert.equal(others.seen.filter(({ event }) => event === 'message').length, 1);
    assert.equal(
      events.seen.some(({ data }) => JSON.stringify(data).includes('second')),
      false,
    );
  });

  it('goes on where it ended, without loss, and tells what was deleted meanwhile', async () => {
    const { token, editor, post } = await personWithEditor();
    const kept = await post('kept');
    const gone = await post('gone');
    let last: string | undefined;
    {
      await using events = await openEvents(replica.url, token);
      await events.next('message', ({ title }) => title === 'gone');
      last = events.seen.findLast(({ event }) => event === 'message')?.id;
    }
    const missed = [await post('one'), await post('two')];
    await service.ok('DELETE', `/editor/${editor}/message/${gone.id}`);
    await using events = await openEvents(service.url, token, { 'last-event-id': String(last) });
    await events.next('message', ({ title }) => title === 'two');
    const messages = events.seen.filter(({ event }) => event === 'message');
    assert.deepEqual(
      messages.map(({ data }) => (data as { id: string }).id),
      missed.map(({ id }) => id),
    );
    assert.deepEqual(await events.next('messages_present'), { ids: [kept.id] });
    await using anew = await openEvents(replica.url, token, { 'last-event-id': 'x; drop table' });
    await anew.next('message', ({ title }) => title === 'kept');
  });

  it('tells all access at the beginning, then what comes, ends soon, ends or is taken away', async () => {
    const [ada, roleSource, source] = [await make.person(), await make.dataSource(), await make.dataSource()];
    const role = await make.role();
    await service.ok('PUT', `/role/${role.id}/person/${ada.id}`);
    await service.ok('PUT', `/role/${role.id}/data-source/${roleSource.id}`);
    const { token } = await signedIn(replica, ada.id);
    await using events = await openEvents(replica.url, token);
    const of = (id: string) => (one: { dataSource: { id: string }; allowed: boolean }) => one.dataSource.id === id;
    const begun = await events.next('access', of(roleSource.id));
    assert.deepEqual([begun.allowed, begun.until, begun.isEnding], [true, null, false]);

    const grant = await make.permission(source.id, ada.id, { duration: '600' });
    const came = await events.next('access', of(source.id));
    assert.deepEqual([came.allowed, came.until, came.isEnding], [true, grant.expiresAt, false]);
    const soon = await make.dataSource();
    await make.permission(soon.id, ada.id, { duration: '301' });
    const ending = await events.next('access', (one) => of(soon.id)(one) && one.isEnding);
    assert.ok(Date.parse(ending.until ?? '') - Date.now() <= 300_000);

    await service.ok('DELETE', `/permission/${grant.id}`);
    const over = await events.next('access', (one) => of(source.id)(one) && !one.allowed);
    assert.match(String(over.detail), /was taken away: no role and no permission gives it now$/);
    const brief = await make.permission(source.id, ada.id, { duration: '3' });
    await events.next('access', (one) => of(source.id)(one) && one.until === brief.expiresAt);
    await events.next(
      'access',
      (one) => of(source.id)(one) && /ended at .* with the permission/.test(one.detail ?? ''),
    );
    assert.ok(Date.now() >= Date.parse(brief.expiresAt));
    for (const { event, data } of events.seen) personEvents[event as 'access'].parse(data);
  });

  it('tells that a query of the person is complete, with the reason of its failure', async () => {
    const { person, source, editor, token } = await personWithEditor();
    await using events = await openEvents(replica.url, token);
    const id = crypto.randomUUID();
    const at = new Date().toISOString();
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        const times = { created_at: at, started_at: at, completed_at: at, lease_until: at };
        const query = { id, data_source_id: source.id, person_id: person.id, editor_id: editor, success: 0 };
        await db
          .insertInto('query')
          .values({ ...query, ...times, num_results: 1, runner: null, stop_reason: null })
          .execute();
        const result = { query_id: id, ordinal: 0, type: 'error', started_at: at, completed_at: at };
        await db
          .insertInto('query_result')
          .values({ ...result, detail: '{"error":"syntax error"}' })
          .execute();
      }),
    );
    assert.deepEqual(await events.next('query'), {
      id,
      editorId: editor,
      completedAt: at,
      success: false,
      error: 'syntax error',
    });
  });

  it('ends within a second when the session ends or the person is locked, and says so', async () => {
    const ends = {
      'your session has ended': ({ call }: Awaited<ReturnType<typeof signedIn>>) => call('POST', '/sign-out'),
      'your account is locked': (_session: unknown, person: string) => service.ok('PUT', `/person/${person}/lock`),
    };
    for (const [detail, end] of Object.entries(ends)) {
      const ada = await make.person();
      const session = await signedIn(replica, ada.id);
      await using events = await openEvents(replica.url, session.token);
      await end(session, ada.id);
      const begun = performance.now();
      await events.ended;
      assert.ok(performance.now() - begun < 1000);
      assert.deepEqual(events.seen.at(-1), { event: 'session', id: undefined, data: { detail } });
    }
  });

  it('is refused without a session, and closed to the oldest page of a person who opens too many', async () => {
    assertProblem(await service.call('GET', '/person/v1/events', { key: null }), 401, 'signed_out');
    const { token } = await signedIn(replica, (await make.person()).id);
    await using oldest = await openEvents(replica.url, token);
    await using others = new AsyncDisposableStack();
    for (let count = 0; count < streamLimits.perPerson; count += 1) others.use(await openEvents(replica.url, token));
    await oldest.next('replaced');
    await oldest.ended;
  });

  it('takes no slot and no share of its address, and does not hold up the end of the service', async () => {
    const limited = await startTestService({ limits: { maxInFlight: 2, unreadMs: 400 } });
    const own = makers(limited);
    await using streams = new AsyncDisposableStack();
    const open: OpenEvents[] = [];
    // As many as the unread answers that one address may have, if each counted as one.
    for (let count = 0; count < 72; count += streamLimits.perPerson) {
      const { token } = await signedIn(limited, (await own.person()).id);
      for (let page = 0; page < streamLimits.perPerson; page += 1) {
        open.push(streams.use(await openEvents(limited.url, token)));
      }
    }
    // Longer than a client may take to read: there is nothing to read.
    await sleep(600);
    assert.equal((await limited.call('GET', '/person')).status, 200);
    await own.snippet();
    await Promise.all(open.map(({ next }) => next('snippets')));
    const begun = performance.now();
    await limited.close();
    await Promise.all(open.map(({ ended }) => ended));
    // Held up, it takes 10 seconds.
    assert.ok(performance.now() - begun < 8000);
  });
});
