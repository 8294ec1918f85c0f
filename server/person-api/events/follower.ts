import type { PersonEventData } from '@rolecall/api';
import { describeDenial } from '../../access/describe-denial.ts';
import type { Gate, SourceAccess } from '../../access/gate.ts';
import { findMessageOf, type MessageNumber, selectMessagesOf } from '../../store/editor-message.ts';
import type { Store } from '../../store/store.ts';
import { type EventStream, eventText } from './event-stream.ts';

/** Messages of a person that are followed. Changes of older ones are not sent. */
const mostMessages = 1000;

/** Time before its end at which an access counts as ending, in milliseconds. */
const endingMs = 5 * 60_000;

/** Part of a person's state that a follower can read again. */
export type Part = 'access' | 'messages';

type AccessEvent = PersonEventData<'access'>;

interface FollowerParts {
  readonly store: Pick<Store, 'read'>;
  readonly gate: Gate;
}

/** A person with open streams, and what these were told: each update tells them the difference. */
export class Follower {
  readonly person: string;
  readonly streams = new Set<EventStream>();
  /** Time at which the access changes by itself, in milliseconds since 1970. */
  changesAt = Infinity;
  readonly #store: Pick<Store, 'read'>;
  readonly #gate: Gate;
  #access = new Map<string, AccessEvent>();
  #messages: readonly MessageNumber[] = [];
  #updating: Promise<void> = Promise.resolve();

  constructor(person: string, { store, gate }: FollowerParts) {
    this.person = person;
    this.#store = store;
    this.#gate = gate;
  }

  /** Reads what may have changed, and tells the streams; a new stream is told everything. */
  async update(...parts: Part[]): Promise<void> {
    // One after the other: an older reading must not undo a newer one.
    const updating = this.#updating.then(async () => {
      const fresh = [...this.streams].filter(({ isBegun }) => !isBegun);
      const hasNew = fresh.length > 0;
      if (hasNew || parts.includes('access')) await this.#updateAccess(fresh);
      if (hasNew || parts.includes('messages')) await this.#updateMessages(fresh);
      for (const stream of fresh) stream.isBegun = true;
    });
    this.#updating = updating.catch(() => undefined);
    await updating;
  }

  async #updateAccess(fresh: readonly EventStream[]): Promise<void> {
    const { readAt, sources } = await this.#gate.reachAll(this.person);
    const now = new Map(sources.map((reach) => [reach.source.id, accessEvent(reach, readAt)]));
    const told = new Map(now);
    for (const [id, lastEvent] of this.#access) if (!now.has(id)) told.set(id, await this.#lostAccess(lastEvent));
    for (const [id, event] of told) {
      const isChanged = JSON.stringify(this.#access.get(id)) !== JSON.stringify(event);
      for (const stream of isChanged ? this.streams : fresh) {
        stream.add(`access ${id}`, () => eventText('access', event));
      }
    }
    this.#access = now;
    this.changesAt = Math.min(...sources.flatMap(changesOf).filter((at) => at > readAt));
  }

  /** The answer about a data source that no grant of the person names any longer. */
  async #lostAccess({ dataSource }: AccessEvent): Promise<AccessEvent> {
    const reach = await this.#gate.reach(this.person, dataSource.id);
    const detail = reach.allowed ? null : describeDenial(reach, dataSource);
    return { dataSource, allowed: reach.allowed, until: null, detail, isEnding: false };
  }

  async #updateMessages(fresh: readonly EventStream[]): Promise<void> {
    const lastMessages = this.#messages;
    const now = await this.#store.read((executor) => selectMessagesOf(executor, this.person, mostMessages));
    // Where there are more, those before the oldest are not deleted, but not followed any more.
    const oldest = now.length < mostMessages ? -Infinity : (now[0]?.seq ?? -Infinity);
    const present = new Set(now.map(({ id }) => id));
    const knownIds = new Set(lastMessages.map(({ id }) => id));
    for (const { id, seq } of lastMessages) {
      if (seq < oldest || present.has(id)) continue;
      this.#tell(this.streams, `message ${id}`, () => eventText('message_deleted', { id }));
    }
    for (const stream of fresh) this.#continue(stream, now);
    const others = [...this.streams].filter(({ isBegun }) => isBegun);
    for (const message of now) if (!knownIds.has(message.id)) this.#tellMessage(others, message);
    this.#messages = now;
  }

  /** Sends a stream the messages that its client lacks, and which of the others still exist. */
  #continue(stream: EventStream, messages: readonly MessageNumber[]): void {
    const { after = -1 } = stream;
    const ids = messages.filter(({ seq }) => seq <= after).map(({ id }) => id);
    if (stream.after !== undefined) stream.add('present', () => eventText('messages_present', { ids }));
    for (const message of messages) if (message.seq > after) this.#tellMessage([stream], message);
  }

  #tellMessage(streams: Iterable<EventStream>, { id, seq }: MessageNumber): void {
    // Its text is read when it is sent. A message that was deleted by then is not told.
    this.#tell(streams, `message ${id}`, async () => {
      const message = await this.#store.read((executor) => findMessageOf(executor, id, this.person));
      return message === undefined ? undefined : eventText('message', message, seq);
    });
  }

  #tell(streams: Iterable<EventStream>, about: string, render: () => string | Promise<string | undefined>): void {
    for (const stream of streams) stream.add(about, render);
  }
}

function accessEvent({ source, reach }: SourceAccess, at: number): AccessEvent {
  if (!reach.allowed) {
    const detail = reach.reason === 'not_granted' ? null : describeDenial(reach, source);
    return { dataSource: source, allowed: false, until: null, detail, isEnding: false };
  }
  const until = reach.until === Infinity ? null : new Date(reach.until).toISOString();
  return { dataSource: source, allowed: true, until, detail: null, isEnding: reach.until - at <= endingMs };
}

/** The moments at which the answer about a data source changes by itself. */
function changesOf({ grants, reach }: SourceAccess): number[] {
  const ends = reach.allowed ? [reach.until, reach.until - endingMs] : [];
  return [...ends, ...grants.map(({ from }) => from)];
}
