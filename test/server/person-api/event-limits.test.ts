import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream } from '../../../server/person-api/events/event-stream.ts';
import { EventStreams, streamLimits } from '../../../server/person-api/events/event-streams.ts';
import { Refusal } from '../../../server/refusal.ts';
import type { StoredSession } from '../../../server/store/person-session.ts';
import { StoreClock } from '../../../server/store-clock.ts';

const sessionOf = (person: string) => ({ id: `s${person}`, person: { id: person } }) as StoredSession;

/** Streams of people who reach nothing, over a store that says nothing. */
function streamsOf(limits: Partial<typeof streamLimits>): EventStreams {
  const streams = new EventStreams({
    store: { read: () => Promise.resolve([]) as never },
    gate: { reachAll: () => Promise.resolve({ readAt: 0, sources: [], isComplete: true }) } as never,
    sessions: { isValid: () => true },
    clock: new StoreClock(),
    onError: () => undefined,
    limits,
  });
  after(() => streams.close());
  return streams;
}

/** An answer of Fastify's, as far as a stream needs it. */
function answer() {
  let body: Readable | undefined;
  const raw = new EventEmitter();
  const reply = {
    raw,
    request: { method: 'GET', headers: {} },
    header: () => reply,
    removeHeader: () => reply,
    send: (stream: Readable) => {
      body = stream;
    },
  };
  return { reply: reply as never, leave: () => raw.emit('close'), text: async () => (await body?.toArray())?.join('') };
}

describe('streams of events', () => {
  it('are as many as the process may have, and one that is left makes room', async () => {
    const streams = streamsOf({ total: 3 });
    const open = await Promise.all(
      ['ada', 'ben', 'cid'].map(async (person) => {
        const one = answer();
        await streams.send(one.reply, sessionOf(person));
        return one;
      }),
    );
    await assert.rejects(streams.send(answer().reply, sessionOf('dan')), (error: unknown) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.code, 'unavailable');
      assert.equal(error.headers['retry-after'], '5');
      return true;
    });
    open[0]?.leave();
    assert.equal(streams.count, 2);
    await streams.send(answer().reply, sessionOf('dan'));
    assert.equal(streams.count, 3);
  });

  it('have a bound', () => {
    assert.deepEqual([streamLimits.perPerson, streamLimits.total], [8, 2000]);
  });
});

describe('a stream of events', () => {
  it('tells how a thing is, once, however often it changed while the client did not read', async () => {
    const stream = new EventStream(sessionOf('ada'), undefined);
    for (let count = 0; count < 50_000; count += 1) stream.add('access shop', () => `${count}\n`);
    setTimeout(() => {
      stream.end('bye');
    }, 50);
    assert.match((await stream.body.toArray()).join(''), /^retry: \d+\n\n49999\nbye$/);
  });

  it('ends where more than 10,000 things wait for a client', () => {
    const stream = new EventStream(sessionOf('ada'), undefined);
    for (let count = 0; count < 10_000; count += 1) stream.add(`message ${count}`, () => 'x');
    assert.equal(stream.body.destroyed, false);
    stream.add('one more', () => 'x');
    assert.equal(stream.body.destroyed, true);
  });

  it('gives a sign of life only after a pause', async () => {
    const stream = new EventStream(sessionOf('ada'), undefined);
    stream.beat(60_000);
    stream.add('access', () => 'access\n');
    const parts = stream.body.iterator();
    const next = async () => String(((await parts.next()) as { value: Buffer }).value);
    assert.match(await next(), /^retry/);
    assert.equal(await next(), 'access\n');
    stream.beat(60_000);
    await sleep(30);
    stream.beat(20);
    assert.equal(await next(), ':\n\n');
    stream.beat(60_000);
    await sleep(30);
    stream.beat(20);
    stream.end('bye');
    assert.equal(await next(), 'bye');
  });
});
