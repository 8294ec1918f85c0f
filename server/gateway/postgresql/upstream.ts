import type { ConnectionUri } from '@rolecall/api';
import { ReusedReads } from '../../databases/connections/reused-reads.ts';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import { type Admitted, atSameAddress, type Guard } from '../../databases/guard/index.ts';
import { canceller } from '../../databases/postgresql/cancel.ts';
import { type Conversation, converse } from '../../databases/postgresql/conversation.ts';
import { logIn } from '../../databases/postgresql/log-in.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { query, terminate } from '../../protocols/postgresql/requests.ts';
import type { Upstream } from '../protocol.ts';
import { type Spare, type Spares, spareOn, stopBy } from '../spares.ts';

/** Time limit for connecting and logging in, in milliseconds. */
export const connectMs = 10_000;
/**
 * After how long a session is ended at the database instead of cancelled, after how long by another connection than the spare one,
 * and how long that may take, in milliseconds.
 */
const [cancelMs, spareMs, terminateMs] = [450, 600, 1000];

/** A session at the database of a data source, logged in with the account of its URI. */
export interface PostgresUpstream extends Upstream {
  /** Sends a request to cancel on to the database. */
  readonly cancel: () => Promise<void>;
  /** The settings that the server reported, in their order. */
  readonly settings: ReadonlyMap<string, string>;
}

/**
 * Connects to a data source, as far as the guard of data sources lets it.
 *
 * @param settings of the session, as the client asks for them
 * @throws FatalError for the client; it has no password
 */
export async function connectUpstream(
  uri: ConnectionUri,
  settings: Readonly<Record<string, string>>,
  { guard, spares }: { guard: Guard; spares: Spares },
  signal: AbortSignal,
): Promise<PostgresUpstream> {
  try {
    const uriTimeout = Number(uri.parameters['connect_timeout'] ?? Infinity) * 1000;
    return await withDeadline(Math.min(connectMs, uriTimeout), signal, async (bound) => {
      const admitted = await guard.admit(uri, bound);
      // Makes a busy server notice that this process has died. In the startup packet, so that no RESET undoes it.
      const watched = { ...settings, client_connection_check_interval: '1000' };
      return open(admitted, watched, spares, bound).catch((error: unknown) => {
        if (!isUnknownSetting(error)) throw error;
        return open(admitted, settings, spares, bound);
      });
    });
  } catch (error) {
    signal.throwIfAborted();
    const sqlState = sqlStateOf(error) ?? '08001';
    const failure = describeFailure(error, uri);
    const setting = refusedSetting(error, settings);
    if (setting === undefined) throw new FatalError(sqlState, `the data source cannot be reached: ${failure}`);
    throw new FatalError(
      sqlState,
      `the database refuses the setting ${setting} that the client sends as it connects: ${failure}`,
      'Change it in the client, or leave it out.',
    );
  }
}

async function open(
  uri: Admitted,
  settings: Readonly<Record<string, string>>,
  spares: Spares,
  signal: AbortSignal,
): Promise<PostgresUpstream> {
  const { socket, stream, key, settings: reported } = await logIn(uri, signal, settings, new ReusedReads());
  const { cancel, close } = canceller(key, socket, uri);
  const there = atSameAddress(uri, socket);
  const processId = key?.processId;
  const spare = spares.join(socket, uri, () => openSpare(there));
  return {
    stream,
    goodbye: terminate,
    settings: reported,
    atServer: processId === undefined ? undefined : { processId, address: socket.remoteAddress ?? '' },
    cancel,
    // A statement can ignore a request to cancel, but not the end of its session.
    stop: (sinceMs) => {
      if (sinceMs < cancelMs || processId === undefined) return cancel();
      return stopBy(spare(), processId, {
        isLate: sinceMs >= spareMs,
        other: () => terminateBackend(there, processId),
      });
    },
    close,
  };
}

/** Ends a session from another connection. */
async function terminateBackend(uri: Admitted, id: number): Promise<void> {
  using connection = await logIn(uri, AbortSignal.timeout(terminateMs));
  await terminateBy(converse(connection.stream), id);
}

function terminateBy({ ask }: Conversation, id: number): Promise<unknown> {
  return ask(query.encode(`select pg_catalog.pg_terminate_backend(${id})`), () => undefined);
}

async function openSpare(uri: Admitted): Promise<Spare> {
  const { stream } = await withDeadline(connectMs, undefined, (bound) => logIn(uri, bound));
  const conversation = converse(stream);
  return spareOn(stream, terminate, (id) => terminateBy(conversation, id));
}

/** Servers before version 14 do not know the setting, and poolers take only some. */
function isUnknownSetting(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === '42704' || code === '08P01';
}

/**
 * The setting of the client that made the server refuse the session: the server's message names it.
 *
 * @returns undefined where the log-in failed for another reason
 */
function refusedSetting(error: unknown, settings: Readonly<Record<string, string>>): string | undefined {
  const code = sqlStateOf(error);
  // Of connecting, passwords, databases, too many connections, and servers that start or stop.
  if (!(error instanceof Error) || code === undefined || /^(08(?!P01)|28|3D|53|57)/.test(code)) return undefined;
  const options = Object.entries(settings).flatMap(([name, value]) => (name === 'options' ? inOptions(value) : []));
  const names = [...Object.keys(settings).filter((name) => name !== 'options'), ...options];
  const said = names.find((name) =>
    new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\.')}(?![\\w.])`, 'i').test(error.message),
  );
  return said ?? (code === '42601' && 'options' in settings ? 'options' : undefined);
}

/** The names of the settings in a text such as `-c geqo=off --search-path=a`. */
function inOptions(text: string): string[] {
  return [...text.matchAll(/(?:-c\s*|--)([\w.-]+)=/g)].map(([, name = '']) => name.replaceAll('-', '_'));
}

function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
