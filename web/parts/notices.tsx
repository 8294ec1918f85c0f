import { signal } from '@preact/signals';
import type { AccessGrant, EditorMessage, PersonEventData } from '@rolecall/api';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { accessNow, messages, onEvent } from '../events.ts';
import { call } from '../person-client.ts';
import { dismiss, dismissed } from './dismissed.ts';
import { HowToAsk } from './how-to-ask.tsx';
import { Moment, Told } from './moment.tsx';

type AccessEvent = PersonEventData<'access'>;

interface Loss {
  readonly access: AccessEvent;
  /** The permissions that ended, if the service tells them. */
  readonly grants: readonly AccessGrant[];
}

/** The accesses that ended while the page was open, by the id of the data source. */
const losses = signal<ReadonlyMap<string, Loss>>(new Map());

/** The id of a data source whose loss the view itself tells of. */
export const lossInView = signal<string | undefined>(undefined);

/** Messages that are shown at once; the others follow as these are closed. */
const mostMessages = 3;

/** The notices of every view: messages of the person's editors, access that ends soon, access that has ended. */
export function Notices() {
  useEffect(followLosses, []);
  const ending = [...accessNow.value.values()].filter(
    ({ allowed, isEnding, until }) => allowed && isEnding && until !== null,
  );
  const unread = [...messages.value.values()].filter(({ id }) => !dismissed.value.has(id));
  return (
    <div class="notices" role="status">
      {[...losses.value].map(([id, loss]) => id !== lossInView.value && <Lost key={id} loss={loss} />)}
      {ending.map((event) => (
        <EndsSoon key={event.dataSource.id} access={event} />
      ))}
      {unread.slice(0, mostMessages).map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {unread.length > mostMessages && <p class="quiet">{unread.length - mostMessages} more messages</p>}
    </div>
  );
}

/** Without a countdown: screen readers would read every second of it. */
function EndsSoon({ access: { dataSource, until } }: { readonly access: AccessEvent }) {
  const about = `end ${dataSource.id} ${until}`;
  if (until === null || dismissed.value.has(about)) return null;
  return (
    <Notice
      close={() => {
        dismiss(about);
      }}
    >
      <p>
        Your access to <strong>{dataSource.name}</strong> ends at <Moment at={until} />.
      </p>
    </Notice>
  );
}

function Lost({ loss: { access, grants } }: { readonly loss: Loss }) {
  const { dataSource, detail } = access;
  return (
    <Notice
      close={() => {
        forget(dataSource.id);
      }}
    >
      <p>
        <strong>{dataSource.name}</strong>: <Told text={detail ?? 'your access has ended'} />. Your tabs are kept.
      </p>
      <HowToAsk grants={grants} />
    </Notice>
  );
}

function Message({ message: { id, editorId, title, message } }: { readonly message: EditorMessage }) {
  return (
    <Notice
      close={() => {
        dismiss(id);
      }}
    >
      <p>
        <strong>{title}</strong>
      </p>
      <p class="text">{message}</p>
      <p>
        <a href={`/editor/${encodeURIComponent(editorId)}`}>Open the editor</a>
      </p>
    </Notice>
  );
}

function Notice({ close, children }: { readonly close: () => void; readonly children: ComponentChildren }) {
  return (
    <div class="notice closable">
      <div>{children}</div>
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  );
}

/** Notes each access that ends, with what gave it; forgets it when the access returns. */
function followLosses(): () => void {
  const allowances = new Map<string, boolean>();
  const stop = onEvent('access', (access) => {
    const { id } = access.dataSource;
    const wasAllowed = allowances.get(id);
    allowances.set(id, access.allowed);
    if (access.allowed) forget(id);
    else if (wasAllowed === true) void note(access);
  });
  return () => {
    stop();
    // They are of the person who leaves.
    losses.value = new Map();
  };
}

async function note(access: AccessEvent): Promise<void> {
  const { id } = access.dataSource;
  // Who declared it is good to know, but not needed: what ended is said in any case.
  const current = await call('getMyAccess', { params: { dataSource: id } }).catch(() => undefined);
  if (current?.allowed !== true) losses.value = new Map(losses.value).set(id, { access, grants: current?.ended ?? [] });
}

function forget(id: string): void {
  if (losses.value.has(id)) losses.value = new Map([...losses.value].filter(([dataSource]) => dataSource !== id));
}
