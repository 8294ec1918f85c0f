import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventStreamType } from '@rolecall/api';
import type { FastifyReply } from 'fastify';
import { decisive } from '../../access/facts.ts';
import type { Gate } from '../../access/gate.ts';
import { startTicker, type Ticker } from '../../queries/ticker.ts';
import { Refusal } from '../../refusal.ts';
import type { Sessions } from '../../sign-in/sessions.ts';
import { readCollectionVersions } from '../../store/collection-version.ts';
import { type StoredSession, selectSessions } from '../../store/person-session.ts';
import { selectCompletedSince } from '../../store/query.ts';
import { findQueryResult } from '../../store/query-result.ts';
import type { Store } from '../../store/store.ts';
import type { StoreClock } from '../../store-clock.ts';
import { EventStream, eventText } from './event-stream.ts';
import { Follower, type Part } from './follower.ts';

export interface EventStreamsOptions {
  readonly store: Pick<Store, 'read'>;
  readonly gate: Gate;
  readonly sessions: Pick<Sessions, 'isValid'>;
  readonly clock: StoreClock;
  /** Reports that the store cannot be read, once for each outage. The streams stay open. */
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<typeof streamLimits>;
}

export const streamLimits = {
  /** Streams that one person may have; the oldest ends when another one begins. */
  perPerson: 8,
  /** Streams that the process may have. */
  total: 2000,
  /** Interval at which a stream without events sends a sign of life, in milliseconds. */
  heartbeatMs: 15_000,
};

/** Interval at which the store is asked for changes, for all streams together, in milliseconds. */
const pollEvery = 250;

/** People that are checked before other work gets its turn, and sessions that one statement reads. */
const [peopleATurn, sessionsATime] = [50, 500];

/** Difference that the clocks of two processes may have, in milliseconds. */
const clockTolerance = 5000;

/** Every open stream of events. While any is open, one read of the store for changes serves all of them. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #limits: typeof streamLimits;
  readonly #followers = new Map<string, Follower>();
  readonly #ticker: Ticker;
  #versions: ReadonlyMap<string, number> = new Map();
  /** Completed queries that were told, with when they completed. */
  #toldQueries = new Map<string, string>();
  #storeIsAway = false;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#limits = { ...streamLimits, ...options.limits };
    this.#ticker = startTicker(pollEvery, () => this.#poll(), options.onError);
  }

  /** Number of open streams. */
  get count(): number {
    return this.#all().length;
  }

  /**
   * Answers a request with a stream of events.
   *
   * @throws Refusal unavailable; StoreUnavailableError
   */
  async send(reply: FastifyReply, session: StoredSession): Promise<void> {
    void reply
      .header('content-type', eventStreamType)
      .header('cache-control', 'no-store')
      // nginx would keep the events until it has a buffer full of them.
      .header('x-accel-buffering', 'no');
    if (reply.request.method === 'HEAD') {
      void reply.send();
      return;
    }
    const stream = new EventStream(session, readLastEventId(reply.request.headers['last-event-id']));
    const close = this.#begin(stream);
    reply.raw.once('close', close);
    try {
      await this.#followers.get(session.person.id)?.update();
    } catch (error) {
      close();
      reply.removeHeader('x-accel-buffering');
      throw error;
    }
    // A client that is gone by now has closed the stream already.
    void reply.send(stream.body);
  }

  /** Ends all streams. Their clients connect again, to another process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of this.#all()) stream.cut();
    await this.#ticker.stop();
  }

  #all(): EventStream[] {
    return [...this.#followers.values()].flatMap(({ streams }) => [...streams]);
  }

  /** @returns ends the stream */
  #begin(stream: EventStream): () => void {
    if (this.#isClosed || this.count >= this.#limits.total) {
      const detail = this.#isClosed ? 'the service is closing' : 'the service has as many streams of events as it can';
      throw new Refusal('unavailable', `${detail}; nothing of the request was done`, {
        headers: { 'retry-after': '5' },
      });
    }
    const { id } = stream.session.person;
    const follower = this.#followers.get(id) ?? new Follower(id, this.#options);
    this.#followers.set(id, follower);
    const { perPerson } = this.#limits;
    const [oldest] = follower.streams;
    if (oldest !== undefined && follower.streams.size >= perPerson) {
      follower.streams.delete(oldest);
      oldest.end(eventText('replaced', { detail: `more than ${perPerson} streams are open` }));
    }
    follower.streams.add(stream);
    return () => {
      stream.end();
      this.#forget(follower, stream);
    };
  }

  #forget(follower: Follower, stream: EventStream): void {
    follower.streams.delete(stream);
    if (follower.streams.size === 0 && this.#followers.get(follower.person) === follower) {
      this.#followers.delete(follower.person);
    }
  }

  async #poll(): Promise<void> {
    if (this.#followers.size === 0) {
      this.#toldQueries.clear();
      return;
    }
    for (const stream of this.#all()) stream.beat(this.#limits.heartbeatMs);
    try {
      await this.#endSessions();
      await this.#pollChanges();
      await this.#pollQueries();
      this.#storeIsAway = false;
    } catch (error) {
      // Sessions that end by the clock end without the store.
      for (const stream of this.#all()) this.#endUnlessValid(stream, stream.session);
      if (!this.#storeIsAway) this.#options.onError(error);
      this.#storeIsAway = true;
    }
  }

  async #endSessions(): Promise<void> {
    const { store, clock } = this.#options;
    const streams = this.#all();
    for (let start = 0; start < streams.length; start += sessionsATime) {
      const some = streams.slice(start, start + sessionsATime);
      const sessions = await store.read(async (executor) => {
        await clock.refresh(executor);
        return selectSessions(
          executor,
          some.map(({ session }) => session.id),
        );
      });
      const byId = new Map(sessions.map((session) => [session.id, session]));
      for (const stream of some) this.#endUnlessValid(stream, byId.get(stream.session.id));
    }
  }

  #endUnlessValid(stream: EventStream, session: StoredSession | undefined): void {
    if (session !== undefined && this.#options.sessions.isValid(session)) return;
    const follower = this.#followers.get(stream.session.person.id);
    if (follower !== undefined) this.#forget(follower, stream);
    const detail = session?.isLocked === true ? 'your account is locked' : 'your session has ended';
    stream.end(eventText('session', { detail }));
  }

  async #pollChanges(): Promise<void> {
    const { store, clock } = this.#options;
    const versions = await store.read((executor) => readCollectionVersions(executor));
    const isChanged = (name: string) => versions.get(name) !== this.#versions.get(name);
    const changed: Part[] = [];
    if (decisive.some(isChanged)) changed.push('access');
    if (isChanged('editor_message')) changed.push('messages');
    const people = [...this.#followers.values()];
    const partsOf = (follower: Follower): Part[] =>
      follower.changesAt <= clock.now() ? [...changed, 'access'] : changed;
    const toUpdate = people
      .map((follower) => [follower, partsOf(follower)] as const)
      .filter(([, parts]) => parts.length > 0);
    for (let start = 0; start < toUpdate.length; start += peopleATurn) {
      await Promise.all(
        toUpdate.slice(start, start + peopleATurn).map(([follower, parts]) => follower.update(...parts)),
      );
      await nextTurn();
    }
    if (isChanged('snippet')) {
      for (const stream of this.#all()) stream.add('snippets', () => eventText('snippets', {}));
    }
    // Only once all were checked: a reading that fails in the middle starts over.
    this.#versions = versions;
  }

  async #pollQueries(): Promise<void> {
    const { store, clock } = this.#options;
    const since = new Date(clock.now() - 2 * clockTolerance).toISOString();
    const completed = await store.read((executor) => selectCompletedSince(executor, since));
    const told = this.#toldQueries;
    this.#toldQueries = new Map(completed.map(({ id, completedAt }) => [id, completedAt ?? '']));
    for (const query of completed) {
      const follower = this.#followers.get(query.person ?? '');
      if (follower === undefined || told.has(query.id)) continue;
      for (const stream of follower.streams) stream.add(`query ${query.id}`, () => this.#queryText(query));
    }
  }

  async #queryText(query: CompletedQuery): Promise<string> {
    const { id, editorId, completedAt, numResults } = query;
    const success = query.success === 1;
    const last = success
      ? undefined
      : await this.#options.store.read((executor) => findQueryResult(executor, id, (numResults ?? 0) - 1));
    const error = success ? null : (errorOf(last?.detail) ?? 'the query failed');
    return eventText('query', { id, editorId, completedAt: completedAt ?? '', success, error });
  }
}

type CompletedQuery = Awaited<ReturnType<typeof selectCompletedSince>>[number];

/** The longest error of a query that an event carries, in characters. */
const longestError = 2000;

function errorOf(detail: object | undefined): string | undefined {
  return detail !== undefined && 'error' in detail && typeof detail.error === 'string'
    ? detail.error.slice(0, longestError)
    : undefined;
}

/** This service sends only numbers of messages. */
function readLastEventId(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
}
