import { Readable } from 'node:stream';
import type { PersonEvent, PersonEventData } from '@rolecall/api';
import type { StoredSession } from '../../store/person-session.ts';

/** Makes the text of an event when the client is ready for it; undefined if there is nothing left to send. */
type Render = () => string | undefined | Promise<string | undefined>;

/** Events that may wait for a client. One that lets more wait does not read. */
const mostWaiting = 10_000;

/** Pause of a browser before it connects again, in milliseconds. */
const reconnectMs = 2000;

/** A line without meaning, so that proxies do not take the connection for dead, and a client that is gone is found out. */
const heartbeat = ':\n\n';

/**
 * The events of one connection. What waits is not their texts but how to make them, once for each thing that they are about:
 * a client that reads slowly takes little memory, and is told how a thing is, not all that it has been.
 */
export class EventStream {
  readonly session: StoredSession;
  /** The number of the client's last message; undefined for none. */
  readonly after: number | undefined;
  readonly body: Readable;
  /** True if the client has the initial state that later events build on. */
  isBegun = false;
  readonly #waiting = new Map<string, Render>();
  #wake = Promise.withResolvers<undefined>();
  #isEnding = false;
  #sentAt = performance.now();

  constructor(session: StoredSession, after: number | undefined) {
    this.session = session;
    this.after = after;
    this.body = Readable.from(this.#read(), { objectMode: false });
  }

  /** @param about the subject of the event: if an event about it still waits, this one is left out */
  add(about: string, render: Render): void {
    if (this.#isEnding) return;
    this.#waiting.set(about, render);
    if (this.#waiting.size > mostWaiting) this.body.destroy();
    this.#wake.resolve(undefined);
  }

  /** Sends a sign of life if nothing was sent for a while. */
  beat(everyMs: number): void {
    if (performance.now() - this.#sentAt >= everyMs) this.add('heartbeat', () => heartbeat);
  }

  /** Ends the stream, with one last event or none. What still waits is not sent. */
  end(last?: string): void {
    if (this.#isEnding) return;
    this.#waiting.clear();
    if (last !== undefined) this.add('end', () => last);
    this.#isEnding = true;
    this.#wake.resolve(undefined);
  }

  /** Ends the stream without waiting for a client that does not read. */
  cut(): void {
    this.end();
    if (this.body.readableLength > 0) this.body.destroy();
  }

  async *#read(): AsyncGenerator<Buffer> {
    yield Buffer.from(`retry: ${reconnectMs}\n\n`);
    while (true) {
      const [next] = this.#waiting;
      if (next === undefined) {
        if (this.#isEnding) return;
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
        continue;
      }
      const [about, render] = next;
      this.#waiting.delete(about);
      const text = await render();
      if (text === undefined) continue;
      this.#sentAt = performance.now();
      yield Buffer.from(text);
    }
  }
}

/** Writes an event. JSON has no line breaks of its own, so its data is one line. */
export function eventText<Event extends PersonEvent>(event: Event, data: PersonEventData<Event>, id?: number): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`;
}
