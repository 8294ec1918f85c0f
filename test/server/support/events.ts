import type { PersonEvent, PersonEventData } from '@rolecall/api';

export interface SeenEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** A stream of events, as a page reads it. */
export interface OpenEvents extends AsyncDisposable {
  readonly headers: Headers;
  /** Everything that came, without the heartbeats. */
  readonly seen: readonly SeenEvent[];
  /** How many lines without meaning came. */
  readonly beats: () => number;
  /** Waits for an event that fits, among those that came too; fails after half a minute. */
  readonly next: <Event extends PersonEvent>(
    event: Event,
    fits?: (data: PersonEventData<Event>) => boolean,
  ) => Promise<PersonEventData<Event>>;
  /** Settles when the service ends the stream. */
  readonly ended: Promise<void>;
}

/** Opens the stream of events with the session of a browser. @param url of the service, or of a proxy before it */
export async function openEvents(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<OpenEvents> {
  const leave = new AbortController();
  const response = await fetch(`${url}/person/v1/events`, {
    headers: { accept: 'text/event-stream', cookie: `rolecall=${token}`, ...headers },
    signal: leave.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`the service answered ${response.status}`);
  const seen: SeenEvent[] = [];
  let beats = 0;
  let wake = Promise.withResolvers<undefined>();
  const changed = () => {
    wake.resolve(undefined);
    wake = Promise.withResolvers();
  };
  const ended = (async (body) => {
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        if (part === ':') beats += 1;
        else if (!part.startsWith('retry:')) seen.push(parse(part));
      }
      changed();
    }
  })(response.body).catch(() => undefined);
  return {
    headers: response.headers,
    seen,
    beats: () => beats,
    ended,
    next: async (event, fits = () => true) => {
      const late = AbortSignal.timeout(30_000);
      late.addEventListener('abort', changed);
      while (!late.aborted) {
        const found = seen.find((one) => one.event === event && fits(one.data as never));
        if (found !== undefined) return found.data as never;
        await wake.promise;
      }
      throw new Error(`no fitting event ${event} came, only ${JSON.stringify(seen)}`);
    },
    [Symbol.asyncDispose]: async () => {
      leave.abort();
      await ended;
    },
  };
}

function parse(text: string): SeenEvent {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return { event: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') };
}
