import { signal } from '@preact/signals';
import type { EditorMessage, PersonEvent, PersonEventData } from '@rolecall/api';
import { call, Problem } from './person-client.ts';
import { me, signedOut, takeSession } from './session.ts';

type Listener<Kind extends PersonEvent> = (data: PersonEventData<Kind>) => void;

/** Milliseconds to wait before the first try after a refusal, and before each later one at most. */
const [firstPause, longestPause] = [1000, 30_000];

/** A session that ends may have been exchanged for another one; the browser has that one's cookie after this time. */
const exchangeMs = 500;

/**
 * - `waiting`: the stream is being opened for the first time.
 * - `live`: the service tells each change at once.
 * - `away`: the service does not answer, and the page keeps trying.
 * - `replaced`: the person has opened too many pages, and this one is the oldest.
 */
export const liveness = signal<'waiting' | 'live' | 'away' | 'replaced'>('waiting');

/** Counts the starts of the stream. Events before each start were not sent: views read their state again. */
export const beginnings = signal(0);

/** The person's access, by the id of the data source. */
export const accessNow = signal<ReadonlyMap<string, PersonEventData<'access'>>>(new Map());

/** The messages of the person's editors, by their ids, in the order in which they came. */
export const messages = signal<ReadonlyMap<string, EditorMessage>>(new Map());

const kinds: readonly PersonEvent[] = [
  'message',
  'messages_present',
  'message_deleted',
  'access',
  'query',
  'snippets',
  'session',
  'replaced',
];

type Event = { [Kind in PersonEvent]: { readonly kind: Kind; readonly data: PersonEventData<Kind> } }[PersonEvent];

const listeners = new Map<PersonEvent, Set<(data: never) => void>>();

/**
 * Calls a listener with the data of each event of a kind. A message is told once, also after a reconnect.
 *
 * @returns ends it
 */
export function onEvent<Kind extends PersonEvent>(kind: Kind, listener: Listener<Kind>): () => void {
  const those = listeners.get(kind) ?? new Set();
  listeners.set(kind, those);
  those.add(listener);
  return () => {
    those.delete(listener);
  };
}

let current: EventsOfPage | undefined;

/** Opens the page's stream of events. @param session the id of the person's session @returns closes it */
export function followEvents(session: string): () => void {
  const stream = new EventsOfPage(session);
  current = stream;
  stream.open();
  return () => {
    stream.close();
  };
}

/** Follows again, in a page that a newer one has replaced. */
export function followAgain(): void {
  current?.open();
}

/** The one stream of the page. The page opens it again after each failure, because browsers give up after an error answer. */
class EventsOfPage {
  readonly #session: string;
  readonly #told = new Set<string>();
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(session: string) {
    this.#session = session;
  }

  open(): void {
    const source = new EventSource('/person/v1/events');
    this.#source = source;
    let isNew = true;
    source.onopen = () => {
      this.#failures = 0;
      accessNow.value = new Map();
      // The browser's own reconnect names the last message that it has; a new stream is told all of them.
      if (isNew) messages.value = new Map();
      isNew = false;
      liveness.value = 'live';
      beginnings.value += 1;
    };
    source.onerror = () => {
      liveness.value = 'away';
      if (source.readyState === EventSource.CLOSED) this.#tryAgain();
    };
    for (const kind of kinds) {
      source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
        const parsed: unknown = JSON.parse(data);
        // The service makes each event from the schema of its kind.
        this.#take({ kind, data: parsed } as Event);
      });
    }
  }

  close(): void {
    this.#stop();
    liveness.value = 'waiting';
    accessNow.value = new Map();
    messages.value = new Map();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }

  #take(event: Event): void {
    note(event);
    if (event.kind === 'message') {
      if (this.#told.has(event.data.id)) return;
      this.#told.add(event.data.id);
    }
    for (const listener of listeners.get(event.kind) ?? []) listener(event.data as never);
    if (event.kind === 'replaced') {
      this.#stop();
      liveness.value = 'replaced';
    }
    if (event.kind === 'session') {
      const { detail } = event.data;
      this.#stop();
      this.#timer = setTimeout(() => void this.#resume(detail), exchangeMs);
    }
  }

  #tryAgain(): void {
    const pause = Math.min(longestPause, firstPause * 2 ** this.#failures);
    this.#failures += 1;
    // After the service was away, not all pages come at the same moment.
    this.#timer = setTimeout(() => void this.#resume(), pause * (0.5 + Math.random() / 2));
  }

  /** Continues with the browser's current session. If there is none, the sign-in shows. */
  async #resume(why?: string): Promise<void> {
    try {
      takeSession(await call('getMe', {}));
      // The page opens another stream for another session.
      if (me.value?.session.id === this.#session) this.open();
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'signed_out')) this.#tryAgain();
      else if (why !== undefined) signedOut(why);
    }
  }
}

/** Keeps what an event says about access and messages. */
function note(event: Event): void {
  if (event.kind === 'access') {
    accessNow.value = new Map(accessNow.value).set(event.data.dataSource.id, event.data);
  }
  if (event.kind === 'message') messages.value = new Map(messages.value).set(event.data.id, event.data);
  if (event.kind === 'message_deleted') keepMessages((id) => id !== event.data.id);
  if (event.kind === 'messages_present') {
    const present = new Set(event.data.ids);
    keepMessages((id) => present.has(id));
  }
}

function keepMessages(isKept: (id: string) => boolean): void {
  messages.value = new Map([...messages.value].filter(([id]) => isKept(id)));
}
